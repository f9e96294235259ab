#include "runtime/cuda_device.hpp"

#include "base/error.hpp"
#include "runtime/read_ahead.hpp"

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

int read_attribute(const CudaDriver& driver, cuda::DeviceNumber device, cuda::DeviceAttribute attribute) {
    int value = 0;
    driver.check(driver->cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute");
    return value;
}

cuda::DeviceNumber device_of(const CudaDriver& driver, int number) {
    cuda::DeviceNumber device = 0;
    driver.check(driver->cuDeviceGet(&device, number), "cuDeviceGet");
    return device;
}

GpuFacts facts_of(const CudaDriver& driver, int number) {
    const cuda::DeviceNumber device = device_of(driver, number);
    std::array<char, 256> name{};
    GpuFacts facts;
    facts.number = number;
    driver.check(driver->cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device),
                 "cuDeviceGetName");
    facts.name = name.data();
    facts.capability_major = read_attribute(driver, device, cuda::DeviceAttribute::capability_major);
    facts.capability_minor = read_attribute(driver, device, cuda::DeviceAttribute::capability_minor);
    driver.check(driver->cuDeviceTotalMem(&facts.memory_bytes, device), "cuDeviceTotalMem");
    return facts;
}

std::string line_of(const GpuFacts& gpu) {
    return fmt::format("GPU {}: {}, compute capability {}.{}, {:.1f} GiB\n", gpu.number, gpu.name,
                       gpu.capability_major, gpu.capability_minor,
                       static_cast<double>(gpu.memory_bytes) / gibibyte);
}

} // namespace

std::vector<GpuFacts> all_gpus(const CudaDriver& driver) {
    std::vector<GpuFacts> result;
    const int count = count_of(driver);
    for (int number = 0; number < count; ++number) result.push_back(facts_of(driver, number));
    return result;
}

std::string describe_gpus() {
    try {
        std::string lines;
        for (const GpuFacts& gpu : all_gpus()) lines += line_of(gpu);
        return lines.empty() ? "GPU: none; the NVIDIA driver lists none\n" : lines;
    } catch (const std::exception& error) {
        return fmt::format("GPU: none; {}\n", error.what());
    }
}

struct GpuDevice::State {
    State(int number, const CudaDriver& of) : driver(of), compiler(of.compiler_library()) {
        const int count = count_of(driver);
        if (number < 0 || number >= count)
            throw UserError("there is no GPU {}: {}", number,
                            count == 0 ? "the NVIDIA driver lists none"
                                       : fmt::format("the numbers are 0 to {}", count - 1));
        facts = facts_of(driver, number);
        device = device_of(driver, number);
        target = target::gpu_for(facts.capability_major, facts.capability_minor);
        target.multiprocessors = read_attribute(driver, device, cuda::DeviceAttribute::multiprocessors);
        const cuda::Result result = driver->cuDevicePrimaryCtxRetain(&context, device);
        if (result == cuda::out_of_memory || result == cuda::device_unavailable)
            throw UserError("GPU {} ({}) cannot be used now: {}; another process may hold it", number,
                            facts.name, driver.describe(result));
        driver.check(result, "cuDevicePrimaryCtxRetain");
    }
    ~State() { driver->cuDevicePrimaryCtxRelease(device); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const CudaDriver& driver;
    ReadAhead
        compiler; ///< from the disk it takes about as long as its first kernel, and a context takes longer than both
    GpuFacts facts;
    target::Gpu target{};
    cuda::DeviceNumber device = 0;
    cuda::Context context = nullptr;
};

GpuDevice::GpuDevice(int number, const CudaDriver& driver)
    : state_(std::make_shared<const State>(number, driver)) {}

const GpuFacts& GpuDevice::facts() const { return state_->facts; }
const target::Gpu& GpuDevice::target() const { return state_->target; }
const CudaDriver& GpuDevice::driver() const { return state_->driver; }
cuda::Context GpuDevice::context() const { return state_->context; }

std::string GpuDevice::description() const {
    return fmt::format("GPU {} ({})", facts().number, facts().name);
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
    driver_.check(driver_->cuCtxPushCurrent(device.context()), "cuCtxPushCurrent");
}

CurrentGpu::~CurrentGpu() {
    cuda::Context popped = nullptr;
    driver_->cuCtxPopCurrent(&popped);
}

} // namespace swirl::runtime
