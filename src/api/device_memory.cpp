#include "api/device_memory.hpp"

#include "base/error.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstring>
#include <new>

namespace swirl::api {

namespace {

constexpr std::align_val_t scratch_alignment{64};

template <class T> void append(double value, std::vector<std::byte>& bytes) {
    const auto rounded = static_cast<T>(value);
    const std::size_t end = bytes.size();
    bytes.resize(end + sizeof rounded);
    std::memcpy(bytes.data() + end, &rounded, sizeof rounded);
}

} // namespace

DeviceValues::DeviceValues(const std::vector<double>& values, DataType type, Device device) {
    for (const double value : values)
        type == DataType::float32 ? append<float>(value, host_) : append<double>(value, host_);
    if (!device.is_gpu()) return;
    gpu_.emplace(host_.size(), device.ordinal());
    gpu_->copy_from(host_.data(), host_.size());
    host_.clear();
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
        host_.reset(static_cast<std::byte*>(::operator new(bytes, scratch_alignment)));
}
DeviceScratch::~DeviceScratch() = default;
DeviceScratch::DeviceScratch(DeviceScratch&&) noexcept = default;

std::byte* DeviceScratch::data() const {
    return gpu_ ? reinterpret_cast<std::byte*>(gpu_->buffer.address()) : host_.get();
}

void DeviceScratch::Free::operator()(std::byte* memory) const {
    ::operator delete(memory, scratch_alignment);
}

} // namespace swirl::api
