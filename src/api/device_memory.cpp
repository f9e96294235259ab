#include "api/device_memory.hpp"

#include <swirl/half.hpp>

#include "base/error.hpp"
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
    const auto copy_as = [&](auto example) {
        std::vector<decltype(example)> rounded;
        for (const double value : values) rounded.push_back(static_cast<decltype(example)>(value));
        memory_.copy_from(rounded.data(), rounded.size() * sizeof(example));
    };
    switch (type) {
    case DataType::float64: copy_as(double{}); break;
    case DataType::float32: copy_as(float{}); break;
    case DataType::float16: copy_as(float16{}); break;
    case DataType::bfloat16: copy_as(bfloat16{}); break;
    default: throw InternalError("values of type {}", name_of(type));
    }
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
