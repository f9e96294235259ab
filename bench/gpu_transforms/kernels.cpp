#include "bench/gpu_transforms/kernels.hpp"

namespace swirl::bench {
namespace {

constexpr unsigned threads = 256, bytes_of_thread = 16;

constexpr const char* text = R"(.version 6.0
.target sm_70
.address_size 64

.visible .entry multiply(.param .u64 data, .param .u64 filter, .param .u32 last_pair)
{
    .reg .u32 %thread<3>, %last;
    .reg .u64 %data, %filter, %offset;
    .reg .f32 %x<4>, %h<4>, %y<4>, %t<4>;
    mov.u32 %thread0, %ctaid.x;
    mov.u32 %thread1, %tid.x;
    mad.lo.u32 %thread2, %thread0, 256, %thread1;
    ld.param.u64 %data, [data];
    ld.param.u64 %filter, [filter];
    ld.param.u32 %last, [last_pair];
    mul.wide.u32 %offset, %thread2, 16;
    add.u64 %data, %data, %offset;
    and.b32 %thread2, %thread2, %last;
    mul.wide.u32 %offset, %thread2, 16;
    add.u64 %filter, %filter, %offset;
    ld.global.v4.f32 {%x0, %x1, %x2, %x3}, [%data];
    ld.global.nc.v4.f32 {%h0, %h1, %h2, %h3}, [%filter];
    mul.f32 %t0, %x1, %h1;
    neg.f32 %t0, %t0;
    fma.rn.f32 %y0, %x0, %h0, %t0;
    mul.f32 %t1, %x1, %h0;
    fma.rn.f32 %y1, %x0, %h1, %t1;
    mul.f32 %t2, %x3, %h3;
    neg.f32 %t2, %t2;
    fma.rn.f32 %y2, %x2, %h2, %t2;
    mul.f32 %t3, %x3, %h2;
    fma.rn.f32 %y3, %x2, %h3, %t3;
    st.global.v4.f32 [%data], {%y0, %y1, %y2, %y3};
    ret;
}
)";

} // namespace

Kernels::Kernels(const runtime::GpuDevice& device)
    : module_(runtime::GpuModule::from_ptx(device, text)), multiply_(module_.kernel("multiply")) {}

void Kernels::multiply(const runtime::GpuStream& stream, runtime::cuda::Address data,
                       runtime::cuda::Address filter, unsigned points, std::size_t bytes) const {
    multiply_.launch(
        {.grid = {static_cast<unsigned>(bytes / (threads * bytes_of_thread))}, .block = {threads}}, stream,
        data, filter, points / 2 - 1);
}

} // namespace swirl::bench
