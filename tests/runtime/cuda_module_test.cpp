#include "base/error.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"
#include "support/cuda_fixture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace swirl::runtime {
namespace cuda_module_test {

TEST_F(Cuda, CompilesPtxWithOptions) {
    fake.log = "kernel f uses 40 registers\n";
    const GpuDevice device(0, driver());
    const GpuModule module =
        GpuModule::from_ptx(device, ".version 8.0", {.max_registers = 128, .optimization = 3});
    EXPECT_EQ(module.log(), "kernel f uses 40 registers");
    EXPECT_EQ(fake.image, ".version 8.0");
    EXPECT_EQ(fake.options.at(static_cast<int>(cuda::CompileOption::max_registers)), 128U);
    EXPECT_EQ(fake.options.at(static_cast<int>(cuda::CompileOption::optimization)), 3U);
    const std::string cubin =
        "\x7f"
        "ELF";
    GpuModule::from_cubin(device, std::as_bytes(std::span(cubin.c_str(), cubin.size() + 1)));
    EXPECT_EQ(fake.image, cubin);
    EXPECT_TRUE(fake.options.empty());
}

TEST_F(Cuda, ShowsTheCompilersLogWhenPtxIsWrong) {
    fake.log = "ptxas application ptx input, line 3; error: Unexpected instruction types";
    fake.failures["cuModuleLoadDataEx"] = cuda::invalid_ptx;
    const GpuDevice device(0, driver());
    expect_contains(
        error_of<InternalError>([&] { GpuModule::from_ptx(device, "x"); }),
        {"cuModuleLoadDataEx failed", "some text", "line 3; error: Unexpected instruction types"});
    fake.log = std::string(100000, 'x');
    EXPECT_LT(error_of<InternalError>([&] { GpuModule::from_ptx(device, "x"); }).size(), 20000U);
    fake.failures.clear();
    EXPECT_NO_THROW(GpuModule::from_ptx(device, "x")) << "the context stays usable";
}

TEST_F(Cuda, SaysWhatWouldCompilePtx) {
    const GpuDevice device(0, driver());
    const auto error_with = [&](cuda::Result result) {
        fake.failures["cuModuleLoadDataEx"] = result;
        return error_of<Error>([&] { GpuModule::from_ptx(device, "x"); });
    };
    expect_contains(error_with(cuda::unsupported_ptx_version), {"CUDA 12.8", "too old for this PTX"});
    expect_contains(error_with(cuda::compiler_not_found), {"libnvidia-ptxjitcompiler.so.1"});
    expect_contains(error_with(cuda::no_binary_for_gpu), {"compute capability 9.0"});
    expect_contains(error_with(cuda::out_of_memory), {"no memory for a kernel"});
}

TEST_F(Cuda, NamesTheKernelThatIsMissing) {
    const GpuDevice device(0, driver());
    const GpuModule module = GpuModule::from_ptx(device, "x");
    fake.failures["cuModuleGetFunction"] = cuda::not_found;
    expect_contains(error_of<InternalError>([&] { module.kernel("butterfly"); }), {"butterfly"});
}

TEST_F(Cuda, KeepsAModuleLoadedForItsKernels) {
    const GpuDevice device(0, driver());
    std::optional<GpuKernel> kernel = GpuModule::from_ptx(device, "x").kernel("f");
    EXPECT_EQ(fake.modules, 1);
    EXPECT_EQ(kernel->attributes().registers, 44);
    EXPECT_EQ(kernel->attributes().local_bytes, 43);
    EXPECT_EQ(kernel->attributes().static_shared_bytes, 41);
    kernel.reset();
    EXPECT_EQ(fake.modules, 0);
}

TEST_F(Cuda, AllowsSharedMemoryUpToWhatTheGpuHas) {
    const GpuDevice device(0, driver());
    const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("f"); // declares 41 bytes
    kernel.allow_shared_bytes(232448 - 41);
    EXPECT_EQ(fake.kernel_attributes.at(8), 232448 - 41);
    expect_contains(error_of<UserError>([&] { kernel.allow_shared_bytes(232448); }),
                    {"232448 bytes", "declares 41"});
    kernel.allow_any_cluster();
    EXPECT_EQ(fake.kernel_attributes.at(14), 1);
    EXPECT_EQ(kernel.resident_blocks(256, 0), 8);
}

TEST_F(Cuda, LaunchesWithTheArgumentsAsTheyAre) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("f");
    fake.argument_bytes = {8, 4, 2};
    const cuda::Address address = 0x1122334455667788;
    const float factor = 2.5F;
    kernel.launch({.grid = {5, 6, 7}, .block = {32, 4, 2}, .shared_bytes = 1000}, stream, address, factor,
                  std::uint16_t{99});
    ASSERT_EQ(fake.launches.size(), 1U);
    const support::FakeLaunch& launch = fake.launches[0];
    EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector{5U, 6U, 7U}));
    EXPECT_EQ(std::vector(launch.block, launch.block + 3), (std::vector{32U, 4U, 2U}));
    EXPECT_EQ(launch.shared_bytes, 1000U);
    EXPECT_EQ(launch.stream, stream.handle());
    std::string expected(14, '\0');
    const std::uint16_t last = 99;
    std::memcpy(expected.data(), &address, 8);
    std::memcpy(expected.data() + 8, &factor, 4);
    std::memcpy(expected.data() + 12, &last, 2);
    EXPECT_EQ(launch.arguments, expected);
    fake.argument_bytes.clear();
    EXPECT_NO_THROW(kernel.launch({}, stream)) << "a kernel without parameters";
}

TEST_F(Cuda, LaunchesClusters) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("f");
    fake.argument_bytes = {4};
    kernel.launch({.grid = {16}, .block = {64}, .shared_bytes = 512, .cluster = {4, 2, 1}}, stream, 7);
    ASSERT_EQ(fake.launches.size(), 1U);
    const support::FakeLaunch& launch = fake.launches[0];
    EXPECT_EQ(std::vector(launch.cluster, launch.cluster + 3), (std::vector{4U, 2U, 1U}));
    EXPECT_EQ(std::vector(launch.grid, launch.grid + 3), (std::vector{16U, 1U, 1U}));
    EXPECT_EQ(launch.block[0], 64U);
    EXPECT_EQ(launch.shared_bytes, 512U);
    EXPECT_EQ(launch.stream, stream.handle());
    EXPECT_EQ(launch.arguments, std::string("\7\0\0\0", 4));
    EXPECT_EQ(fake.count("cuLaunchKernel"), 0);
}

TEST_F(Cuda, WaitsForNothingWhenLaunching) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("f");
    fake.calls.clear();
    kernel.launch({}, stream);
    EXPECT_EQ(fake.calls, (std::vector<std::string>{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuLaunchKernel",
                                                    "cuCtxPopCurrent"}));
    fake.calls.clear();
    kernel.launch({.cluster = {2}}, stream);
    EXPECT_EQ(fake.calls, (std::vector<std::string>{"cuCtxGetCurrent", "cuCtxPushCurrent", "cuLaunchKernelEx",
                                                    "cuCtxPopCurrent"}));
}

TEST_F(Cuda, SaysWhatWasLaunchedWhenItFails) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("butterfly");
    fake.failures["cuLaunchKernel"] = cuda::launch_out_of_resources;
    expect_contains(error_of<InternalError>([&] { kernel.launch({.grid = {3}, .block = {2048}}, stream); }),
                    {"launch of 'butterfly' failed", "some text", "grid 3×1×1", "2048×1×1", "44 registers"});
    fake.failures.clear();
    EXPECT_NO_THROW(kernel.launch({}, stream));
}

TEST(OldCuda, RunsKernelsWithoutClusters) {
    FakeCuda& fake = fake_of(11000);
    {
        const CudaDriver driver(fake_cuda_library(11000));
        const GpuDevice device(0, driver);
        const GpuStream stream(device);
        const GpuKernel kernel = GpuModule::from_ptx(device, "x").kernel("f");
        kernel.launch({}, stream);
        for (const auto& error : {error_of<Unavailable>([&] { kernel.launch({.cluster = {2}}, stream); }),
                                  error_of<Unavailable>([&] { kernel.allow_any_cluster(); })})
            expect_contains(error, {"clusters", "CUDA 11.8 or later", "CUDA 11.0"});
        EXPECT_EQ(fake.launches.size(), 1U);
    }
    EXPECT_EQ(fake.retained + fake.modules + fake.streams, 0);
}

} // namespace cuda_module_test
} // namespace swirl::runtime
