#include "bench/support/gpu_copy.hpp"

#include "base/error.hpp"
#include "runtime/cuda/memory.hpp"

#include <algorithm>
#include <vector>

namespace swirl::bench {
namespace {

constexpr unsigned threads = 256, bytes_of_thread = 16;
constexpr std::size_t bytes_of_block = std::size_t{threads} * bytes_of_thread;

constexpr const char* text = R"(.version 6.0
.target sm_70
.address_size 64

.visible .entry copy(.param .u64 to, .param .u64 from)
{
    .reg .u32 %thread<3>, %word<4>;
    .reg .u64 %offset, %to, %from;
    mov.u32 %thread0, %ctaid.x;
    mov.u32 %thread1, %tid.x;
    mad.lo.u32 %thread2, %thread0, 256, %thread1;
    mul.wide.u32 %offset, %thread2, 16;
    ld.param.u64 %to, [to];
    ld.param.u64 %from, [from];
    add.u64 %to, %to, %offset;
    add.u64 %from, %from, %offset;
    ld.global.v4.u32 {%word0, %word1, %word2, %word3}, [%from];
    st.global.v4.u32 [%to], {%word0, %word1, %word2, %word3};
    ret;
}
)";

} // namespace

double copy_bandwidth(const runtime::GpuStream& stream, const CopyArrays& arrays, std::size_t bytes,
                      const search::InterleavedTimingOptions& options) {
    const runtime::GpuModule module = runtime::GpuModule::from_ptx(stream.device(), text);
    const runtime::GpuKernel kernel = module.kernel("copy");
    const std::size_t blocks = std::max(bytes / bytes_of_block, std::size_t{1});
    const std::size_t whole = blocks * bytes_of_block;
    const auto by_kernel = [&](std::size_t execution) {
        const std::size_t set = execution % arrays.to.size();
        kernel.launch({.grid = {static_cast<unsigned>(blocks)}, .block = {threads}}, stream, arrays.to[set],
                      arrays.from[set]);
    };
    const auto by_driver = [&](std::size_t execution) {
        const std::size_t set = execution % arrays.to.size();
        copy_on_gpu(stream, arrays.to[set], arrays.from[set], whole);
    };
    const std::vector<search::GpuWork> implementations{{by_kernel}, {by_driver}};
    double fastest = 0;
    for (const search::InterleavedTimes& timing :
         search::time_interleaved(stream, implementations, options)) {
        if (!timing.failed_because.empty()) throw InternalError("copying: {}", timing.failed_because);
        fastest = std::max(fastest, 2 * static_cast<double>(whole) / timing.time.median);
    }
    return fastest;
}

} // namespace swirl::bench
