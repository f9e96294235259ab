#include "runtime/cuda/device.hpp"

#include "base/error.hpp"
#include "runtime/cpu/read_ahead.hpp"

#include <array>
#include <exception>

namespace swirl::runtime {
namespace {

constexpr double gibibyte = 1 << 30;

int count_of(const CudaDriver& driver) {
    int count = 0;
    driver.check(driver->cuDeviceGetCount(&count), "cuDeviceGetCount");
    return count;
}

int read_attribute(const CudaDriver& driver, cuda::DeviceHandle device, cuda::DeviceAttribute attribute) {
    int value = 0;
    driver.check(driver->cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute");
    return value;
}

cuda::DeviceHandle device_of(const CudaDriver& driver, int index) {
    cuda::DeviceHandle device = 0;
    driver.check(driver->cuDeviceGet(&device, index), "cuDeviceGet");
    return device;
}

GpuProperties properties_of(const CudaDriver& driver, int index) {
    const cuda::DeviceHandle device = device_of(driver, index);
    std::array<char, 256> name{};
    GpuProperties properties;
    properties.index = index;
    driver.check(driver->cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
                 "cuDeviceGetName");
    properties.name = name.data();
    properties.capability_major = read_attribute(driver, device, cuda::DeviceAttribute::capability_major);
    properties.capability_minor = read_attribute(driver, device, cuda::DeviceAttribute::capability_minor);
    driver.check(driver->cuDeviceTotalMem(&properties.memory_bytes, device), "cuDeviceTotalMem");
    return properties;
}

std::string line_of(const GpuProperties& gpu) {
    return fmt::format("GPU {}: {}, compute capability {}.{}, {:.1f} GiB\n", gpu.index, gpu.name,
                       gpu.capability_major, gpu.capability_minor,
                       static_cast<double>(gpu.memory_bytes) / gibibyte);
}

} // namespace

std::vector<GpuProperties> all_gpus(const CudaDriver& driver) {
    std::vector<GpuProperties> result;
    const int count = count_of(driver);
    for (int index = 0; index < count; ++index) result.push_back(properties_of(driver, index));
    return result;
}

std::string describe_gpus() {
    try {
        std::string lines;
        for (const GpuProperties& gpu : all_gpus()) lines += line_of(gpu);
        return lines.empty() ? "GPU: none; the NVIDIA driver lists none\n" : lines;
    } catch (const std::exception& error) {
        return fmt::format("GPU: none; {}\n", error.what());
    }
}

namespace {

/// The device's own rates, as far as its driver reports them; others stay those of the table.
target::GpuRates rates_of(const CudaDriver& driver, cuda::DeviceHandle device, target::GpuRates rates) {
    using cuda::DeviceAttribute;
    constexpr double hertz_of_khz = 1000, transfers_per_cycle = 2, bits_of_byte = 8;
    const auto attribute = [&](DeviceAttribute of) {
        return static_cast<double>(read_attribute(driver, device, of));
    };
    if (const double clock = attribute(DeviceAttribute::clock_khz); clock > 0)
        rates.hertz = clock * hertz_of_khz;
    const double memory = attribute(DeviceAttribute::memory_clock_khz) * hertz_of_khz * transfers_per_cycle *
                          attribute(DeviceAttribute::memory_bus_bits) / bits_of_byte;
    if (memory > 0) rates.memory_bytes = memory;
    return rates;
}

} // namespace

struct GpuDevice::State {
    State(int index, const CudaDriver& of) : driver(of), compiler(of.compiler_library()) {
        const int count = count_of(driver);
        if (index < 0 || index >= count)
            throw Unavailable(
                "there is no GPU {}: {}", index,
                count == 0 ? "the NVIDIA driver lists none" : fmt::format("ordinals are 0 to {}", count - 1));
        properties = properties_of(driver, index);
        device = device_of(driver, index);
        target = target::gpu_for(properties.capability_major, properties.capability_minor);
        target.multiprocessors = read_attribute(driver, device, cuda::DeviceAttribute::multiprocessors);
        target.rates = rates_of(driver, device, target.rates);
        const cuda::Result result = driver->cuDevicePrimaryCtxRetain(&context, device);
        if (result == cuda::out_of_memory || result == cuda::device_unavailable)
            throw Unavailable("GPU {} ({}) cannot be used now: {}; another process may hold it", index,
                              properties.name, driver.describe(result));
        driver.check(result, "cuDevicePrimaryCtxRetain");
    }
    ~State() { driver->cuDevicePrimaryCtxRelease(device); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const CudaDriver& driver;
    /// Reading it from disk takes about as long as its first kernel; creating a context takes longer than both.
    ReadAhead compiler;
    GpuProperties properties;
    target::Gpu target{};
    cuda::DeviceHandle device = 0;
    cuda::Context context = nullptr;
};

GpuDevice::GpuDevice(int index, const CudaDriver& driver)
    : state_(std::make_shared<const State>(index, driver)) {}

const GpuProperties& GpuDevice::properties() const { return state_->properties; }
const target::Gpu& GpuDevice::target() const { return state_->target; }
const CudaDriver& GpuDevice::driver() const { return state_->driver; }
cuda::Context GpuDevice::context() const { return state_->context; }

std::string GpuDevice::description() const {
    return fmt::format("GPU {} ({})", properties().index, properties().name);
}

int GpuDevice::attribute(cuda::DeviceAttribute attribute) const {
    return read_attribute(driver(), state_->device, attribute);
}

GpuDevice::Memory GpuDevice::memory() const {
    const CurrentGpu current(*this);
    Memory memory{};
    driver().check(driver()->cuMemGetInfo(&memory.free, &memory.total), "cuMemGetInfo");
    return memory;
}

void GpuDevice::synchronize() const {
    const CurrentGpu current(*this);
    driver().check(driver()->cuCtxSynchronize(), "cuCtxSynchronize");
}

CurrentGpu::CurrentGpu(const GpuDevice& device) : driver_(device.driver()) {
    cuda::Context now = nullptr;
    if (driver_->cuCtxGetCurrent(&now) == cuda::success && now == device.context()) return;
    driver_.check(driver_->cuCtxPushCurrent(device.context()), "cuCtxPushCurrent");
    is_pushed_ = true;
}

CurrentGpu::~CurrentGpu() {
    if (!is_pushed_) return;
    cuda::Context popped = nullptr;
    driver_->cuCtxPopCurrent(&popped);
}

} // namespace swirl::runtime
