#include "base/error.hpp"
#include "emit/ptx_compiler.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"
#include "support/first_gpu.hpp"
#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::runtime {
namespace driver_test {

/// data[k] *= factor for k < count; and, in blocks of 256, data of a block in reverse through shared memory.
constexpr const char* plain_kernels = R"(
.version 6.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 count)
{
    .reg .pred %p;
    .reg .f32 %f<3>;
    .reg .b32 %r<5>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [data];
    ld.param.f32 %f0, [factor];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r0;
    @%p ret;
    mul.wide.u32 %a1, %r4, 4;
    add.u64 %a2, %a0, %a1;
    ld.global.f32 %f1, [%a2];
    mul.f32 %f2, %f1, %f0;
    st.global.f32 [%a2], %f2;
    ret;
}
.visible .entry reverse(.param .u64 data)
{
    .reg .f32 %f<2>;
    .reg .b32 %r<9>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [data];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mad.lo.u32 %r2, %r1, 256, %r0;
    mul.wide.u32 %a1, %r2, 4;
    add.u64 %a2, %a0, %a1;
    ld.global.f32 %f0, [%a2];
    mov.u32 %r3, tile;
    shl.b32 %r4, %r0, 2;
    add.u32 %r5, %r3, %r4;
    st.shared.f32 [%r5], %f0;
    bar.sync 0;
    sub.u32 %r6, 255, %r0;
    shl.b32 %r7, %r6, 2;
    add.u32 %r8, %r3, %r7;
    ld.shared.f32 %f1, [%r8];
    st.global.f32 [%a2], %f1;
    ret;
}
)";

/// out[block] = 100·(blocks of the cluster) + (number of the block in it)
constexpr const char* cluster_kernel = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry ranks(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [out];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %cluster_nctarank;
    mad.lo.u32 %r3, %r2, 100, %r1;
    mul.wide.u32 %a1, %r0, 4;
    add.u64 %a2, %a0, %a1;
    st.global.u32 [%a2], %r3;
    ret;
}
)";

class OnGpu : public support::FirstGpu {
protected:
    template <class T> std::vector<T> read(const GpuBuffer& buffer) const {
        std::vector<T> result(buffer.bytes() / sizeof(T));
        copy_from_gpu(*stream, result.data(), buffer.address(), buffer.bytes());
        stream->synchronize();
        return result;
    }
    GpuBuffer counted(std::size_t count) const {
        std::vector<float> values(count);
        for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<float>(k);
        GpuBuffer buffer(*device, count * sizeof(float));
        copy_to_gpu(*stream, buffer.address(), values.data(), buffer.bytes());
        stream->synchronize();
        return buffer;
    }
    /// That kernels still run, as after an error.
    void expect_usable() const {
        const GpuBuffer data = counted(1000);
        const GpuKernel scale = GpuModule::from_ptx(*device, plain_kernels).kernel("scale");
        scale.launch({.grid = {8}, .block = {128}}, *stream, data.address(), 2.0F, 1000U);
        const std::vector<float> result = read<float>(data);
        for (std::size_t k = 0; k < result.size(); ++k) ASSERT_EQ(result[k], 2.0F * static_cast<float>(k));
    }
};

TEST_F(OnGpu, TableSaysWhatTheDriverReports) {
    using A = cuda::DeviceAttribute;
    const target::Gpu& gpu = device->target();
    RecordProperty("gpu", device->description());
    std::fputs(describe_gpus().c_str(), stdout);
    EXPECT_EQ(gpu.warp_size, device->attribute(A::warp_size));
    EXPECT_EQ(gpu.threads_per_block, device->attribute(A::threads_per_block));
    EXPECT_EQ(gpu.shared_bytes_per_block, device->attribute(A::shared_bytes_per_block));
    EXPECT_EQ(gpu.registers_per_multiprocessor, device->attribute(A::registers_per_multiprocessor));
    EXPECT_LE(gpu.threads_per_multiprocessor, device->attribute(A::threads_per_multiprocessor));
    EXPECT_LE(gpu.blocks_per_multiprocessor, device->attribute(A::blocks_per_multiprocessor));
    EXPECT_LE(gpu.max_shared_bytes_per_block, device->attribute(A::max_shared_bytes_per_block));
    EXPECT_LE(gpu.shared_bytes_per_multiprocessor, device->attribute(A::shared_bytes_per_multiprocessor));
    if (gpu.name == "generic") return;
    EXPECT_EQ(gpu.threads_per_multiprocessor, device->attribute(A::threads_per_multiprocessor));
    EXPECT_EQ(gpu.blocks_per_multiprocessor, device->attribute(A::blocks_per_multiprocessor));
    EXPECT_EQ(gpu.max_shared_bytes_per_block, device->attribute(A::max_shared_bytes_per_block));
    EXPECT_EQ(gpu.shared_bytes_per_multiprocessor, device->attribute(A::shared_bytes_per_multiprocessor));
    EXPECT_EQ(gpu.shared_bytes_reserved, device->attribute(A::shared_bytes_reserved));
    EXPECT_EQ(gpu.largest_cluster > 0, device->attribute(A::cluster_launch) != 0);
}

TEST_F(OnGpu, OccupancyIsThatOfTheDriver) {
    const target::Gpu& gpu = device->target();
    if (gpu.name == "generic") GTEST_SKIP() << "the table has no entry for " << device->description();
    const GpuModule module = GpuModule::from_ptx(*device, plain_kernels);
    for (const char* name : {"scale", "reverse"}) {
        const GpuKernel kernel = module.kernel(name);
        kernel.allow_shared_bytes(static_cast<int>(gpu.max_shared_bytes_per_block));
        for (int threads = 32; threads <= 1024; threads += 96)
            for (int shared = 0; shared <= gpu.max_shared_bytes_per_block; shared += 7001)
                EXPECT_EQ(kernel.resident_blocks(threads, static_cast<std::size_t>(shared)),
                          occupancy(gpu, threads, kernel.attributes().registers, shared).blocks)
                    << name << ", " << threads << " threads, " << shared << " bytes";
    }
}

TEST_F(OnGpu, RunsPtx) {
    expect_usable();
    const GpuModule module = GpuModule::from_ptx(*device, plain_kernels);
    const GpuKernel reverse = module.kernel("reverse");
    EXPECT_GT(reverse.attributes().registers, 0);
    EXPECT_EQ(reverse.attributes().local_bytes, 0);
    reverse.allow_shared_bytes(60000);
    const GpuBuffer data = counted(512);
    reverse.launch({.grid = {2}, .block = {256}, .shared_bytes = 60000}, *stream, data.address());
    const std::vector<float> result = read<float>(data);
    for (std::size_t k = 0; k < 512; ++k)
        EXPECT_EQ(result[k], static_cast<float>(k / 256 * 256 + 255 - k % 256));
}

TEST_F(OnGpu, ShowsWhatTheCompilerSays) {
    const auto now = std::chrono::system_clock::now().time_since_epoch().count(); // so it is in no cache
    const GpuModule module = GpuModule::from_ptx(*device, plain_kernels + fmt::format("// {}\n", now));
    EXPECT_NE(module.log().find("registers"), std::string::npos) << module.log();
}

TEST_F(OnGpu, RunsClusters) {
    if (device->target().largest_cluster == 0) GTEST_SKIP() << device->description() << " has no clusters";
    const GpuKernel ranks = GpuModule::from_ptx(*device, cluster_kernel).kernel("ranks");
    const GpuBuffer out(*device, 32 * sizeof(int));
    for (const int size : {1, 4, 8, 16}) {
        if (size > device->target().portable_cluster) ranks.allow_any_cluster();
        ranks.launch({.grid = {32}, .block = {32}, .cluster = {static_cast<unsigned>(size)}}, *stream,
                     out.address());
        const std::vector<int> result = read<int>(out);
        for (int k = 0; k < 32; ++k) EXPECT_EQ(result[static_cast<std::size_t>(k)], 100 * size + k % size);
    }
}

TEST_F(OnGpu, RunsMachineCodeThatPtxasWrote) {
    const std::optional<std::string> compiler = emit::ptx_compiler();
    if (!compiler) GTEST_SKIP() << "ptxas is not here";
    const TemporaryFolder folder;
    const std::string source = (folder.path() / "kernels.ptx").string();
    std::ofstream(source) << plain_kernels;
    const auto cubin_for = [&](const std::string& target) {
        const auto outcome = support::run_command(support::quoted(*compiler) + " -arch=" + target + " -o " +
                                                  source + ".cubin " + source);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return support::content_of(source + ".cubin");
    };
    const GpuProperties& properties = device->properties();
    const std::string ours =
        cubin_for(fmt::format("sm_{}{}", properties.capability_major, properties.capability_minor));
    const GpuKernel scale = GpuModule::from_cubin(*device, std::as_bytes(std::span(ours))).kernel("scale");
    EXPECT_EQ(scale.attributes().binary_version,
              10 * properties.capability_major + properties.capability_minor);
    const GpuBuffer data = counted(64);
    scale.launch({.block = {64}}, *stream, data.address(), 3.0F, 64U);
    EXPECT_EQ(read<float>(data)[63], 189.0F);

    if (properties.capability_major != 8) { // whose code runs on no other
        const std::string others = cubin_for("sm_80");
        EXPECT_THROW(GpuModule::from_cubin(*device, std::as_bytes(std::span(others))), Unavailable);
    }
    const std::string nonsense(1000, 'x');
    EXPECT_THROW(GpuModule::from_cubin(*device, std::as_bytes(std::span(nonsense))), InternalError);
    expect_usable();
}

TEST_F(OnGpu, StaysUsableAfterErrors) {
    const std::size_t too_much = 2 * device->properties().memory_bytes;
    EXPECT_THROW(GpuBuffer(*device, too_much), OutOfMemory);
    expect_usable();
    try {
        GpuModule::from_ptx(*device, ".version 6.0\n.target sm_70\n.visible .entry f() { nonsense; }\n");
        FAIL();
    } catch (const InternalError& error) {
        EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
    }
    expect_usable();
    const GpuModule module = GpuModule::from_ptx(*device, plain_kernels);
    EXPECT_THROW(module.kernel("absent"), InternalError);
    EXPECT_THROW(module.kernel("reverse").launch({.block = {2048}}, *stream, cuda::Address{0}),
                 InternalError);
    EXPECT_THROW(module.kernel("reverse").allow_shared_bytes(1 << 20), UserError);
    EXPECT_THROW(GpuDevice(1000), Unavailable);
    expect_usable();
}

TEST_F(OnGpu, ReportsPtxTooNewForTheDriver) {
    EXPECT_THROW(GpuModule::from_ptx(*device, ".version 99.0\n.target sm_70\n"), Unavailable);
    expect_usable();
}

TEST_F(OnGpu, TellsWhoseMemoryAPointerIs) {
    const GpuBuffer buffer(*device, 1000);
    const auto* inside = reinterpret_cast<const char*>(buffer.address()) + 500;
    EXPECT_EQ(location_of(*device, inside).kind, PointerLocation::Kind::gpu);
    EXPECT_EQ(location_of(*device, inside).gpu, 0);
    const std::vector<int> host(10);
    EXPECT_EQ(location_of(*device, host.data()).kind, PointerLocation::Kind::host);
    EXPECT_NO_THROW(require_memory_of(*device, inside, "input"));
    EXPECT_THROW(require_memory_of(*device, host.data(), "input"), UserError);
}

TEST_F(OnGpu, FillsCopiesAndTimes) {
    const std::size_t bytes = std::size_t{64} << 20;
    const GpuBuffer a(*device, bytes), b(*device, bytes);
    const GpuEvent start(*device), end(*device);
    fill_on_gpu(*stream, a.address(), 17, bytes);
    start.record(*stream);
    copy_on_gpu(*stream, b.address(), a.address(), bytes);
    end.record(*stream);
    end.synchronize();
    EXPECT_GT(end.seconds_since(start), 0);
    std::vector<char> result(bytes);
    copy_from_gpu(*device, result.data(), b.address(), bytes);
    EXPECT_EQ(result, std::vector<char>(bytes, 17));
    const auto [free, total] = device->memory();
    EXPECT_LE(free + 2 * bytes, total);
}

TEST_F(OnGpu, LaunchesAreRecordedIntoGraphs) {
    const char* const named = std::getenv("SWIRL_CUDA_DRIVER");
    void* const library = dlopen(named == nullptr ? "libcuda.so.1" : named, RTLD_NOW);
    ASSERT_NE(library, nullptr);
    using Graph = void*;
    const auto begin =
        reinterpret_cast<int (*)(cuda::Stream, int)>(dlsym(library, "cuStreamBeginCapture_v2"));
    const auto end = reinterpret_cast<int (*)(cuda::Stream, Graph*)>(dlsym(library, "cuStreamEndCapture"));
    const auto nodes =
        reinterpret_cast<int (*)(Graph, void**, std::size_t*)>(dlsym(library, "cuGraphGetNodes"));
    const auto destroy = reinterpret_cast<int (*)(Graph)>(dlsym(library, "cuGraphDestroy"));
    ASSERT_TRUE(begin != nullptr && end != nullptr && nodes != nullptr && destroy != nullptr);

    const GpuBuffer data = counted(256);
    const GpuKernel reverse = GpuModule::from_ptx(*device, plain_kernels).kernel("reverse");
    EXPECT_FALSE(stream->is_capturing());
    ASSERT_EQ(begin(stream->handle(), 0), 0); // in the mode in which nothing may wait
    EXPECT_TRUE(stream->is_capturing());
    reverse.launch({.block = {256}, .shared_bytes = 1024}, *stream, data.address());
    reverse.launch({.block = {256}, .shared_bytes = 1024}, *stream, data.address());
    Graph graph = nullptr;
    ASSERT_EQ(end(stream->handle(), &graph), 0);
    std::size_t count = 0;
    EXPECT_EQ(nodes(graph, nullptr, &count), 0);
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(destroy(graph), 0);
    EXPECT_EQ(read<float>(data)[0], 0.0F) << "recorded, not run";
}

} // namespace driver_test
} // namespace swirl::runtime
