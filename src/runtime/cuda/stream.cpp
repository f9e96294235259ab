#include "runtime/cuda/stream.hpp"

#include "base/error.hpp"

#include <utility>

namespace swirl::runtime {

GpuStream::GpuStream(const GpuDevice& device) : device_(device), is_own_(true) {
    const CurrentGpu current(device_);
    const CudaDriver& driver = device_.driver();
    driver.check(driver->cuStreamCreate(&handle_, cuda::stream_non_blocking), "cuStreamCreate");
}

GpuStream GpuStream::borrowed(const GpuDevice& device, cuda::Stream handle) { return {device, handle}; }

GpuStream::~GpuStream() {
    if (is_own_) release_on(device_, [&] { device_.driver()->cuStreamDestroy(handle_); });
}

GpuStream::GpuStream(GpuStream&& other) noexcept
    : device_(other.device_),
      handle_(std::exchange(other.handle_, nullptr)),
      is_own_(std::exchange(other.is_own_, false)) {}

GpuStream& GpuStream::operator=(GpuStream&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(is_own_, other.is_own_);
    return *this;
}

void GpuStream::synchronize() const {
    const CurrentGpu current(device_);
    device_.driver().check(device_.driver()->cuStreamSynchronize(handle_), "cuStreamSynchronize");
}

bool GpuStream::is_empty() const {
    const CurrentGpu current(device_);
    const cuda::Result result = device_.driver()->cuStreamQuery(handle_);
    if (result == cuda::not_ready) return false;
    device_.driver().check(result, "cuStreamQuery");
    return true;
}

void GpuStream::wait(const GpuEvent& event) const {
    const CurrentGpu current(device_);
    device_.driver().check(device_.driver()->cuStreamWaitEvent(handle_, event.handle(), 0),
                           "cuStreamWaitEvent");
}

bool GpuStream::is_capturing() const {
    const CurrentGpu current(device_);
    int status = cuda::capture_none;
    device_.driver().check(device_.driver()->cuStreamIsCapturing(handle_, &status), "cuStreamIsCapturing");
    return status != cuda::capture_none;
}

GpuEvent::GpuEvent(const GpuDevice& device) : device_(device) {
    const CurrentGpu current(device_);
    device_.driver().check(device_.driver()->cuEventCreate(&handle_, 0), "cuEventCreate");
}

GpuEvent::~GpuEvent() {
    if (handle_ != nullptr) release_on(device_, [&] { device_.driver()->cuEventDestroy(handle_); });
}

GpuEvent::GpuEvent(GpuEvent&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}

GpuEvent& GpuEvent::operator=(GpuEvent&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
}

void GpuEvent::record(const GpuStream& stream) const {
    const CurrentGpu current(device_);
    device_.driver().check(device_.driver()->cuEventRecord(handle_, stream.handle()), "cuEventRecord");
}

void GpuEvent::synchronize() const {
    const CurrentGpu current(device_);
    device_.driver().check(device_.driver()->cuEventSynchronize(handle_), "cuEventSynchronize");
}

double GpuEvent::seconds_since(const GpuEvent& start) const {
    const CurrentGpu current(device_);
    float milliseconds = 0;
    device_.driver().check(device_.driver()->cuEventElapsedTime(&milliseconds, start.handle(), handle_),
                           "cuEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
}

} // namespace swirl::runtime
