#include "bench/gpu_products/clock.hpp"

#include <array>
#include <cstdint>

namespace swirl::bench {
namespace {

using Counts = std::array<std::uint64_t, 2>;

constexpr const char* text = R"(.version 6.0
.target sm_70
.address_size 64

.visible .entry count(.param .u64 counts)
{
    .reg .u64 %counts, %first_time, %time, %first_cycle, %cycle;
    .reg .pred %more;
    ld.param.u64 %counts, [counts];
    mov.u64 %first_time, %globaltimer;
    mov.u64 %first_cycle, %clock64;
again:
    mov.u64 %time, %globaltimer;
    mov.u64 %cycle, %clock64;
    sub.u64 %time, %time, %first_time;
    setp.lt.u64 %more, %time, 500000;
    @%more bra again;
    sub.u64 %cycle, %cycle, %first_cycle;
    st.global.u64 [%counts], %cycle;
    st.global.u64 [%counts+8], %time;
    ret;
}
)";

} // namespace

Clock::Clock(const runtime::GpuDevice& device)
    : module_(runtime::GpuModule::from_ptx(device, text)),
      kernel_(module_.kernel("count")),
      counts_(device, sizeof(Counts)) {}

double Clock::hertz(const runtime::GpuStream& stream) const {
    fill_on_gpu(stream, counts_.address(), 0, counts_.bytes());
    kernel_.launch({.grid = {1}, .block = {1}}, stream, counts_.address());
    stream.synchronize();
    Counts counts{};
    copy_from_gpu(stream.device(), counts.data(), counts_.address(), sizeof counts);
    return counts[1] == 0 ? 0 : static_cast<double>(counts[0]) / static_cast<double>(counts[1]) * 1e9;
}

} // namespace swirl::bench
