#include "runtime/cuda/graph.hpp"

namespace swirl::runtime {

bool GpuGraph::is_supported(const CudaDriver& driver) {
    return driver->cuStreamBeginCapture != nullptr && driver->cuStreamEndCapture != nullptr &&
           driver->cuGraphInstantiateWithFlags != nullptr && driver->cuGraphUpload != nullptr &&
           driver->cuGraphLaunch != nullptr && driver->cuGraphDestroy != nullptr &&
           driver->cuGraphExecDestroy != nullptr;
}

GpuGraph::GpuGraph(const GpuStream& stream, const std::function<void()>& work) : device_(stream.device()) {
    const CudaDriver& driver = device_.driver();
    if (!is_supported(driver)) driver.too_old_for("recording work", 11040);
    const CurrentGpu current(device_);
    driver.check(driver->cuStreamBeginCapture(stream.handle(), cuda::capture_of_this_thread),
                 "cuStreamBeginCapture");
    cuda::Graph graph = nullptr;
    cuda::GraphExec ready = nullptr;
    try {
        work();
    } catch (...) {
        driver->cuStreamEndCapture(stream.handle(), &graph);
        if (graph != nullptr) driver->cuGraphDestroy(graph);
        throw;
    }
    driver.check(driver->cuStreamEndCapture(stream.handle(), &graph), "cuStreamEndCapture");
    const cuda::Result result = driver->cuGraphInstantiateWithFlags(&ready, graph, 0);
    driver->cuGraphDestroy(graph);
    driver.check(result, "cuGraphInstantiate");
    graph_ = std::shared_ptr<void>(ready, [device = device_](void* each) {
        release_on(device, [&] { device.driver()->cuGraphExecDestroy(static_cast<cuda::GraphExec>(each)); });
    });
    driver.check(driver->cuGraphUpload(ready, stream.handle()), "cuGraphUpload");
}

void GpuGraph::launch(const GpuStream& stream) const {
    const CurrentGpu current(device_);
    const CudaDriver& driver = device_.driver();
    driver.check(driver->cuGraphLaunch(static_cast<cuda::GraphExec>(graph_.get()), stream.handle()),
                 "cuGraphLaunch");
}

} // namespace swirl::runtime
