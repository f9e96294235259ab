#include "api/device_memory.hpp"

#include "problem/data_type.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstring>
#include <new>

namespace swirl::api {

namespace {

constexpr std::align_val_t alignment{64}; ///< of vectors on the CPU

std::unique_ptr<std::byte, FreeAligned> aligned_memory(std::size_t bytes) {
    return std::unique_ptr<std::byte, FreeAligned>(static_cast<std::byte*>(::operator new(bytes, alignment)));
}

} // namespace

void FreeAligned::operator()(std::byte* memory) const { ::operator delete(memory, alignment); }

DeviceMemory::DeviceMemory(std::size_t bytes, Device device) {
    if (device.is_gpu())
        gpu_.emplace(bytes, device.ordinal());
    else
        host_ = aligned_memory(bytes);
}

void DeviceMemory::copy_from(const void* host, std::size_t bytes) {
    if (gpu_)
        gpu_->copy_from(host, bytes);
    else
        std::memcpy(host_.get(), host, bytes);
}

DeviceValues::DeviceValues(const std::vector<double>& values, DataType type, Device device)
    : memory_(values.size() * static_cast<std::size_t>(bytes_of(type)), device) {
    const std::vector<float> rounded(values.begin(), values.end());
    if (type == DataType::float32)
        memory_.copy_from(rounded.data(), rounded.size() * sizeof(float));
    else
        memory_.copy_from(values.data(), values.size() * sizeof(double));
}

struct DeviceScratch::OnGpu {
    OnGpu(std::size_t bytes, Device device, gpu::Stream given)
        : stream(runtime::GpuStream::borrowed(runtime::device_numbered(device.ordinal()),
                                              static_cast<runtime::cuda::Stream>(given.handle()))),
          buffer(stream, bytes) {}
    runtime::GpuStream stream;
    runtime::GpuStreamBuffer buffer;
};

DeviceScratch::DeviceScratch(std::size_t bytes, Device device, gpu::Stream stream) {
    if (device.is_gpu())
        gpu_ = std::make_unique<OnGpu>(bytes, device, stream);
    else
        host_ = aligned_memory(bytes);
}
DeviceScratch::~DeviceScratch() = default;
DeviceScratch::DeviceScratch(DeviceScratch&&) noexcept = default;

std::byte* DeviceScratch::data() const {
    return gpu_ ? reinterpret_cast<std::byte*>(gpu_->buffer.address()) : host_.get();
}

} // namespace swirl::api
