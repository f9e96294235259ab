#pragma once

#include <swirl/data_type.hpp>
#include <swirl/device.hpp>
#include <swirl/gpu.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

/// Memory of the device that a plan runs on.
namespace swirl::api {

/// Frees memory of the host that is aligned for vectors.
struct FreeAligned {
    void operator()(std::byte* memory) const;
};

/// Uninitialised memory that stays.
class DeviceMemory {
public:
    DeviceMemory(std::size_t bytes, Device device);
    void* data() const { return gpu_ ? gpu_->data() : host_.get(); }
    void copy_from(const void* host, std::size_t bytes);

private:
    std::unique_ptr<std::byte, FreeAligned> host_;
    std::optional<gpu::Memory> gpu_;
};

/// Reals, rounded to float64, float32 or a 16-bit type, that plans read.
class DeviceValues {
public:
    DeviceValues(const std::vector<double>& values, DataType type, Device device);
    const void* data() const { return memory_.data(); }

private:
    DeviceMemory memory_;
};

/// Memory of one execution, uninitialised; on a GPU, of the work that is enqueued while it is alive.
class DeviceScratch {
public:
    DeviceScratch(std::size_t bytes, Device device, gpu::Stream stream);
    ~DeviceScratch();
    DeviceScratch(DeviceScratch&&) noexcept;
    std::byte* data() const;

private:
    struct OnGpu;
    std::unique_ptr<std::byte, FreeAligned> host_;
    std::unique_ptr<OnGpu> gpu_;
};

} // namespace swirl::api
