#include "runtime/cuda_driver.hpp"

#include "base/error.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/cuda_memory.hpp"
#include "runtime/cuda_module.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace swirl::runtime {
namespace {

using support::fake_cuda_library;
using support::FakeCuda;

/// The state of a fake driver, loaded if it is not yet.
FakeCuda& fake_of(int version) {
    void* const library = dlopen(fake_cuda_library(version).c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    return *reinterpret_cast<support::FakeCudaGetter>(dlsym(library, "fake_cuda"))();
}

/// What the error of an action says; empty where it succeeds.
template <class Error, class Action> std::string error_of(Action action) {
    try {
        action();
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

void expect_contains(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A fake driver as new for each test, which afterwards holds nothing.
class Cuda : public testing::Test {
protected:
    void SetUp() override { fake = {.stack_depth = fake.stack_depth}; }
    void TearDown() override {
        EXPECT_EQ(fake.retained, 0);
        EXPECT_EQ(fake.modules, 0);
        EXPECT_EQ(fake.streams, 0);
        EXPECT_EQ(fake.events, 0);
        EXPECT_EQ(fake.blocks.size(), 0U);
        EXPECT_EQ(fake.stack_depth(), 0);
        EXPECT_EQ(fake.count("cuCtxPushCurrent") - fake.count("cuCtxPopCurrent"), 0);
    }

    const CudaDriver& driver() {
        if (!driver_) driver_.emplace(fake_cuda_library(12080));
        return *driver_;
    }

    FakeCuda& fake = fake_of(12080);

private:
    std::optional<CudaDriver> driver_;
};

TEST_F(Cuda, SaysWhichLibraryIsMissing) {
    expect_contains(error_of<UserError>([] { const CudaDriver none("/nowhere/libcuda.so.1"); }),
                    {"there is no NVIDIA driver", "/nowhere/libcuda.so.1", "SWIRL_CUDA_DRIVER"});
}

TEST_F(Cuda, SaysThatALibraryIsNoDriver) {
    expect_contains(error_of<UserError>([] { const CudaDriver none("libm.so.6"); }),
                    {"libm.so.6 is no NVIDIA driver", "cuDriverGetVersion"});
}

TEST_F(Cuda, SaysWhichDriverIsNeededWhereOneIsTooOld) {
    expect_contains(error_of<UserError>([] { const CudaDriver old(fake_cuda_library(10020)); }),
                    {"too old", "CUDA 10.2", "cuDevicePrimaryCtxRelease_v2", "CUDA 11.0 or later"});
}

TEST_F(Cuda, SaysThatThereIsNoGpu) {
    fake.failures["cuInit"] = cuda::no_device;
    expect_contains(error_of<UserError>([&] { driver(); }), {"there is no GPU", "CUDA_VISIBLE_DEVICES"});
}

TEST_F(Cuda, SaysWhyTheDriverDoesNotStart) {
    fake.failures["cuInit"] = 803;
    expect_contains(error_of<UserError>([&] { driver(); }),
                    {"does not start", "CUDA_ERROR_SOME (some text)"});
    fake.failures["cuInit"] = cuda::stub_library;
    expect_contains(error_of<UserError>([&] { driver(); }), {"is a stub", "SWIRL_CUDA_DRIVER"});
    fake.failures["cuInit"] = 999;
    expect_contains(error_of<UserError>([&] { driver(); }), {"error 999"});
    fake.failures.clear();
    EXPECT_EQ(driver().version(), 12080) << "the next attempt is a new one";
}

TEST_F(Cuda, NamesTheCallThatFailed) {
    fake.failures["cuDeviceGetCount"] = cuda::illegal_address;
    expect_contains(
        error_of<InternalError>([&] { all_gpus(driver()); }),
        {"cuDeviceGetCount failed", "CUDA_ERROR_ILLEGAL_ADDRESS (some text)", "nothing more can run"});
}

TEST_F(Cuda, IsLoadedOnceByManyThreads) {
    setenv("SWIRL_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
    EXPECT_THROW(CudaDriver::of_machine(), UserError);
    expect_contains(describe_gpus(), {"GPU: none; there is no NVIDIA driver", "/nowhere/libcuda.so"});
    setenv("SWIRL_CUDA_DRIVER", fake_cuda_library(12080).c_str(), 1);
    std::array<const CudaDriver*, 8> seen{};
    std::vector<std::thread> threads;
    for (const CudaDriver*& each : seen)
        threads.emplace_back([&each] {
            each = &CudaDriver::of_machine();
            const GpuDevice device(0, *each);
            const GpuBuffer buffer(device, 16);
        });
    for (std::thread& thread : threads) thread.join();
    unsetenv("SWIRL_CUDA_DRIVER");
    EXPECT_EQ(fake.count("cuInit"), 1);
    for (const CudaDriver* each : seen) EXPECT_EQ(each, seen[0]);
    fake.devices = 2;
    EXPECT_EQ(describe_gpus(),
              "GPU 0: Fake H100, compute capability 9.0, 1.5 GiB\n"
              "GPU 1: Fake H100, compute capability 9.0, 1.5 GiB\n");
}

TEST_F(Cuda, ListsGpusWithoutMakingContexts) {
    fake.devices = 2;
    const std::vector<GpuFacts> gpus = all_gpus(driver());
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[1].number, 1);
    EXPECT_EQ(gpus[1].name, "Fake H100");
    EXPECT_EQ(gpus[1].capability_major, 9);
    EXPECT_EQ(gpus[1].memory_bytes, std::size_t{3} << 29);
    EXPECT_EQ(fake.count("cuDevicePrimaryCtxRetain"), 0);
}

TEST_F(Cuda, SaysWhichGpusThereAre) {
    fake.devices = 3;
    expect_contains(error_of<UserError>([&] { const GpuDevice device(3, driver()); }), {"GPU 3", "0 to 2"});
    fake.devices = 0;
    expect_contains(error_of<UserError>([&] { const GpuDevice device(0, driver()); }), {"lists none"});
}

TEST_F(Cuda, SaysThatAGpuIsTaken) {
    fake.failures["cuDevicePrimaryCtxRetain"] = cuda::device_unavailable;
    expect_contains(error_of<UserError>([&] { const GpuDevice device(0, driver()); }),
                    {"GPU 0 (Fake H100) cannot be used now", "another process"});
}

TEST_F(Cuda, HoldsTheContextAsLongAsAnythingUsesIt) {
    std::optional<GpuDevice> device(std::in_place, 0, driver());
    EXPECT_EQ(device->target().name, "sm_90");
    std::optional<GpuBuffer> buffer(std::in_place, *device, 64);
    device.reset();
    EXPECT_EQ(fake.retained, 1);
    buffer.reset();
    EXPECT_EQ(fake.retained, 0);
}

TEST_F(Cuda, MakesContextsCurrentInScopes) {
    fake.devices = 2;
    const GpuDevice first(0, driver()), second(1, driver());
    {
        const CurrentGpu outer(first);
        const CurrentGpu inner(second);
        EXPECT_EQ(fake.stack_depth(), 2);
        const GpuBuffer buffer(second, 8);
        EXPECT_EQ(place_of(first, reinterpret_cast<const void*>(buffer.address())).gpu, 1);
    }
    EXPECT_EQ(fake.stack_depth(), 0);
}

TEST_F(Cuda, SaysHowMuchMemoryWasAskedForAndHowMuchIsFree) {
    const GpuDevice device(0, driver());
    const GpuBuffer some(device, 1 << 19);
    expect_contains(
        error_of<UserError>([&] { const GpuBuffer more(device, 600000); }),
        {"GPU 0 (Fake H100) has no room for 600000 bytes", "524288 of its 1048576 bytes are free"});
    const GpuBuffer less(device, 1000);
    EXPECT_NE(less.address(), 0U) << "the context stays usable";
}

TEST_F(Cuda, ReleasesWhatItHoldsWhenCallsFail) {
    const GpuDevice device(0, driver());
    for (const char* call :
         {"cuStreamCreate", "cuEventCreate", "cuMemAlloc", "cuMemGetInfo", "cuCtxSynchronize"}) {
        fake.failures = {{call, cuda::invalid_value}};
        EXPECT_THROW(
            {
                const GpuBuffer buffer(device, 64);
                const GpuStream stream(device);
                const GpuEvent event(device);
                device.memory();
                device.synchronize();
            },
            InternalError)
            << call;
        EXPECT_EQ(fake.streams + fake.events, 0) << call;
        EXPECT_EQ(fake.blocks.size(), 0U) << call;
        EXPECT_EQ(fake.stack_depth(), 0) << call;
    }
    fake.failures.clear();
}

TEST_F(Cuda, MovesOwnership) {
    const GpuDevice device(0, driver());
    GpuBuffer a(device, 100), b(device, 200);
    const cuda::Address address = a.address();
    b = std::move(a);
    EXPECT_EQ(b.address(), address);
    const GpuBuffer c = std::move(b);
    EXPECT_EQ(c.address(), address);
    EXPECT_EQ(c.bytes(), 100U);
    GpuStream stream(device), other(device);
    stream = std::move(other);
    const GpuStream moved = std::move(stream);
    GpuEvent event(device);
    const GpuEvent moved_event = std::move(event);
    EXPECT_EQ(fake.events, 1);
}

TEST_F(Cuda, LeavesBorrowedStreamsAlone) {
    const GpuDevice device(0, driver());
    { const GpuStream stream = GpuStream::borrowed(device, reinterpret_cast<cuda::Stream>(16)); }
    EXPECT_EQ(fake.count("cuStreamDestroy"), 0);
}

TEST_F(Cuda, CopiesAndFills) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuBuffer a(device, 64), b(device, 64);
    std::array<char, 64> written{}, read{};
    std::iota(written.begin(), written.end(), char{1});
    copy_to_gpu(device, a.address(), written.data(), 64);
    copy_on_gpu(stream, b.address(), a.address(), 64);
    copy_from_gpu(stream, read.data(), b.address(), 64);
    EXPECT_EQ(read, written);
    fill_on_gpu(stream, b.address() + 32, 0, 32);
    copy_to_gpu(stream, b.address(), written.data() + 32, 32);
    copy_from_gpu(device, read.data(), b.address(), 64);
    EXPECT_EQ(read[0], 33);
    EXPECT_EQ(read[32], 0);
    EXPECT_EQ(GpuBuffer(device, 0).address(), 0U);
}

TEST_F(Cuda, TellsWhoseMemoryAPointerIs) {
    fake.devices = 2;
    const GpuDevice device(1, driver());
    const GpuBuffer buffer(device, 64);
    const std::array<int, 3> host{};
    fake.pinned = host.data() + 1;
    fake.managed = host.data() + 2;
    const auto* inside = reinterpret_cast<const char*>(buffer.address()) + 8;
    using Kind = PointerPlace::Kind;
    EXPECT_EQ(place_of(device, inside).kind, Kind::gpu);
    EXPECT_EQ(place_of(device, inside).gpu, 1);
    EXPECT_EQ(place_of(device, host.data()).kind, Kind::host);
    EXPECT_EQ(place_of(device, host.data()).gpu, -1);
    EXPECT_EQ(place_of(device, fake.pinned).kind, Kind::pinned_host);
    EXPECT_EQ(place_of(device, fake.managed).kind, Kind::managed);

    EXPECT_NO_THROW(require_memory_of(device, inside, "input"));
    EXPECT_NO_THROW(require_memory_of(device, fake.managed, "input"));
    expect_contains(error_of<UserError>([&] { require_memory_of(device, host.data(), "input"); }),
                    {"input points to memory of the host", "memory of GPU 1", "cudaMalloc"});
    expect_contains(error_of<UserError>([&] { require_memory_of(device, nullptr, "output"); }),
                    {"output is a null pointer"});
    const GpuDevice other(0, driver());
    expect_contains(error_of<UserError>([&] { require_memory_of(other, inside, "input"); }),
                    {"input points to memory of GPU 1; memory of GPU 0"});
}

TEST_F(Cuda, TimesWithEvents) {
    const GpuDevice device(0, driver());
    const GpuStream stream(device);
    const GpuEvent start(device), end(device);
    start.record(stream);
    end.record(stream);
    stream.wait(end);
    end.synchronize();
    stream.synchronize();
    EXPECT_DOUBLE_EQ(end.seconds_since(start), 2.5e-3);
    EXPECT_FALSE(stream.is_capturing());
    fake.is_capturing = true;
    EXPECT_TRUE(stream.is_capturing());
}

TEST_F(Cuda, CompilesPtxWithOptions) {
    fake.log = "kernel f uses 40 registers\n";
    const GpuDevice device(0, driver());
    const GpuModule module =
        GpuModule::from_ptx(device, ".version 8.0", {.registers_at_most = 128, .optimization = 3});
    EXPECT_EQ(module.log(), "kernel f uses 40 registers");
    EXPECT_EQ(fake.image, ".version 8.0");
    EXPECT_EQ(fake.options.at(static_cast<int>(cuda::CompileOption::registers_at_most)), 128U);
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
        return error_of<UserError>([&] { GpuModule::from_ptx(device, "x"); });
    };
    expect_contains(error_with(cuda::unsupported_ptx_version), {"CUDA 12.8", "too old for this PTX"});
    expect_contains(error_with(cuda::compiler_not_found), {"libnvidia-ptxjitcompiler.so.1"});
    expect_contains(error_with(cuda::no_binary_for_gpu), {"compute capability 9.0"});
    expect_contains(error_with(cuda::out_of_memory), {"no room for a kernel"});
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
    EXPECT_EQ(kernel->facts().registers, 44);
    EXPECT_EQ(kernel->facts().local_bytes, 43);
    EXPECT_EQ(kernel->facts().static_shared_bytes, 41);
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
    EXPECT_EQ(fake.calls,
              (std::vector<std::string>{"cuCtxPushCurrent", "cuLaunchKernel", "cuCtxPopCurrent"}));
    fake.calls.clear();
    kernel.launch({.cluster = {2}}, stream);
    EXPECT_EQ(fake.calls,
              (std::vector<std::string>{"cuCtxPushCurrent", "cuLaunchKernelEx", "cuCtxPopCurrent"}));
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
        for (const auto& error : {error_of<UserError>([&] { kernel.launch({.cluster = {2}}, stream); }),
                                  error_of<UserError>([&] { kernel.allow_any_cluster(); })})
            expect_contains(error, {"clusters", "CUDA 11.8 or later", "CUDA 11.0"});
        EXPECT_EQ(fake.launches.size(), 1U);
    }
    EXPECT_EQ(fake.retained + fake.modules + fake.streams, 0);
}

} // namespace
} // namespace swirl::runtime
