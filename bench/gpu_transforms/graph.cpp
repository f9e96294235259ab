#include "bench/gpu_transforms/graph.hpp"

#include "base/error.hpp"
#include "peers/shared_library.hpp"

#include <cstdlib>

namespace swirl::bench {
namespace {

using runtime::cuda::Result;
using Handle = void*; ///< CUgraph, CUgraphExec

constexpr int capture_of_this_thread = 1; ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

std::string driver_file() {
    const char* const named = std::getenv("SWIRL_CUDA_DRIVER");
    return named != nullptr && *named != '\0' ? named : "libcuda.so.1";
}

/// What the driver has for graphs, by the names under which it exports it since CUDA 11.4.
struct Functions {
    Result (*begin)(runtime::cuda::Stream, int mode) = nullptr;
    Result (*end)(runtime::cuda::Stream, Handle* graph) = nullptr;
    Result (*instantiate)(Handle* ready, Handle graph, unsigned long long flags) = nullptr;
    Result (*upload)(Handle ready, runtime::cuda::Stream) = nullptr;
    Result (*launch)(Handle ready, runtime::cuda::Stream) = nullptr;
    Result (*destroy)(Handle graph) = nullptr;
    Result (*destroy_ready)(Handle ready) = nullptr;
    bool is_complete = false;

    static const Functions& get() {
        static const Functions functions;
        return functions;
    }

private:
    Functions() {
        const peers::SharedLibrary driver({driver_file()});
        is_complete =
            driver.load(begin, "cuStreamBeginCapture_v2") && driver.load(end, "cuStreamEndCapture") &&
            driver.load(instantiate, "cuGraphInstantiateWithFlags") && driver.load(upload, "cuGraphUpload") &&
            driver.load(launch, "cuGraphLaunch") && driver.load(destroy, "cuGraphDestroy") &&
            driver.load(destroy_ready, "cuGraphExecDestroy");
    }
};

} // namespace

bool RecordedGraph::is_supported() { return Functions::get().is_complete; }

RecordedGraph::RecordedGraph(const runtime::GpuStream& stream, const std::function<void()>& work)
    : device_(stream.device()) {
    const Functions& functions = Functions::get();
    const runtime::CudaDriver& driver = device_.driver();
    const runtime::CurrentGpu current(device_);
    driver.check(functions.begin(stream.handle(), capture_of_this_thread), "cuStreamBeginCapture");
    Handle graph = nullptr, ready = nullptr;
    try {
        work();
    } catch (...) {
        functions.end(stream.handle(), &graph);
        if (graph != nullptr) functions.destroy(graph);
        throw;
    }
    driver.check(functions.end(stream.handle(), &graph), "cuStreamEndCapture");
    const Result result = functions.instantiate(&ready, graph, 0);
    functions.destroy(graph);
    driver.check(result, "cuGraphInstantiate");
    graph_ = std::shared_ptr<void>(ready, [device = device_](void* each) {
        runtime::release_on(device, [&] { Functions::get().destroy_ready(each); });
    });
    driver.check(functions.upload(ready, stream.handle()), "cuGraphUpload");
}

void RecordedGraph::launch(const runtime::GpuStream& stream) const {
    const runtime::CurrentGpu current(device_);
    device_.driver().check(Functions::get().launch(graph_.get(), stream.handle()), "cuGraphLaunch");
}

} // namespace swirl::bench
