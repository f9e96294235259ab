#include "runtime/cuda/driver.hpp"

#include "base/error.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"
#include "support/cuda_fixture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace swirl::runtime {
namespace cuda_driver_test {

TEST_F(Cuda, SaysWhichLibraryIsMissing) {
    expect_contains(error_of<Unavailable>([] { const CudaDriver none("/nowhere/libcuda.so.1"); }),
                    {"there is no NVIDIA driver", "/nowhere/libcuda.so.1", "SWIRL_CUDA_DRIVER"});
}

TEST_F(Cuda, SaysThatALibraryIsNoDriver) {
    expect_contains(error_of<Unavailable>([] { const CudaDriver none("libm.so.6"); }),
                    {"libm.so.6 is no NVIDIA driver", "cuDriverGetVersion"});
}

TEST_F(Cuda, ReportsTheRequiredDriver) {
    expect_contains(error_of<Unavailable>([] { const CudaDriver old(fake_cuda_library(10020)); }),
                    {"too old", "CUDA 10.2", "cuDevicePrimaryCtxRelease_v2", "CUDA 11.0 or later"});
}

TEST_F(Cuda, SaysThatThereIsNoGpu) {
    fake.failures["cuInit"] = cuda::no_device;
    expect_contains(error_of<Unavailable>([&] { driver(); }), {"there is no GPU", "CUDA_VISIBLE_DEVICES"});
}

TEST_F(Cuda, SaysWhyTheDriverDoesNotStart) {
    fake.failures["cuInit"] = 803;
    expect_contains(error_of<Unavailable>([&] { driver(); }),
                    {"does not start", "CUDA_ERROR_SOME (some text)"});
    fake.failures["cuInit"] = cuda::stub_library;
    expect_contains(error_of<Unavailable>([&] { driver(); }), {"is a stub", "SWIRL_CUDA_DRIVER"});
    fake.failures["cuInit"] = 999;
    expect_contains(error_of<Unavailable>([&] { driver(); }), {"error 999"});
    fake.failures.clear();
    EXPECT_EQ(driver().version(), 12080) << "the next attempt is a new one";
}

TEST_F(Cuda, NamesTheCallThatFailed) {
    fake.failures["cuDeviceGetCount"] = cuda::illegal_address;
    expect_contains(
        error_of<SystemError>([&] { all_gpus(driver()); }),
        {"cuDeviceGetCount failed", "CUDA_ERROR_ILLEGAL_ADDRESS (some text)", "nothing more can run"});
    fake.failures["cuDeviceGetCount"] = cuda::invalid_value;
    expect_contains(error_of<InternalError>([&] { all_gpus(driver()); }), {"cuDeviceGetCount failed"});
}

TEST_F(Cuda, IsLoadedOnceByManyThreads) {
    setenv("SWIRL_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
    EXPECT_THROW(CudaDriver::of_host(), Unavailable);
    expect_contains(describe_gpus(), {"GPU: none; there is no NVIDIA driver", "/nowhere/libcuda.so"});
    setenv("SWIRL_CUDA_DRIVER", fake_cuda_library(12080).c_str(), 1);
    std::array<const CudaDriver*, 8> seen{};
    std::vector<std::thread> threads;
    for (const CudaDriver*& each : seen)
        threads.emplace_back([&each] {
            each = &CudaDriver::of_host();
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
    const std::vector<GpuProperties> gpus = all_gpus(driver());
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[1].index, 1);
    EXPECT_EQ(gpus[1].name, "Fake H100");
    EXPECT_EQ(gpus[1].capability_major, 9);
    EXPECT_EQ(gpus[1].memory_bytes, std::size_t{3} << 29);
    EXPECT_EQ(fake.count("cuDevicePrimaryCtxRetain"), 0);
}

TEST_F(Cuda, SaysWhichGpusThereAre) {
    fake.devices = 3;
    expect_contains(error_of<Unavailable>([&] { const GpuDevice device(3, driver()); }), {"GPU 3", "0 to 2"});
    fake.devices = 0;
    expect_contains(error_of<Unavailable>([&] { const GpuDevice device(0, driver()); }), {"lists none"});
}

TEST_F(Cuda, SaysThatAGpuIsTaken) {
    fake.failures["cuDevicePrimaryCtxRetain"] = cuda::device_unavailable;
    expect_contains(error_of<Unavailable>([&] { const GpuDevice device(0, driver()); }),
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
        EXPECT_EQ(location_of(first, reinterpret_cast<const void*>(buffer.address())).gpu, 1);
    }
    EXPECT_EQ(fake.stack_depth(), 0);
}

TEST_F(Cuda, OutOfMemoryReportsRequestedAndFreeBytes) {
    const GpuDevice device(0, driver());
    const GpuBuffer some(device, 1 << 19);
    expect_contains(
        error_of<OutOfMemory>([&] { const GpuBuffer more(device, 600000); }),
        {"GPU 0 (Fake H100) cannot allocate 600000 bytes", "524288 of its 1048576 bytes are free"});
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

TEST_F(Cuda, DevicesHaveTheirOwnRates) {
    const target::GpuRates rates = GpuDevice(0, driver()).target().rates;
    EXPECT_DOUBLE_EQ(rates.hertz, 1.755e9);
    EXPECT_DOUBLE_EQ(rates.memory_bytes, 2 * 1.593e9 * 5120 / 8);
    EXPECT_EQ(rates.tensor_flops_float16, target::gpu_named("sm_90").rates.tensor_flops_float16);
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
    using Kind = PointerLocation::Kind;
    EXPECT_EQ(location_of(device, inside).kind, Kind::gpu);
    EXPECT_EQ(location_of(device, inside).gpu, 1);
    EXPECT_EQ(location_of(device, host.data()).kind, Kind::host);
    EXPECT_EQ(location_of(device, host.data()).gpu, -1);
    EXPECT_EQ(location_of(device, fake.pinned).kind, Kind::pinned_host);
    EXPECT_EQ(location_of(device, fake.managed).kind, Kind::managed);

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

} // namespace cuda_driver_test
} // namespace swirl::runtime
