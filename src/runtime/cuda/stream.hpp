#pragma once

#include "runtime/cuda/device.hpp"

namespace swirl::runtime {

class GpuEvent;

/// A stream of a GPU: kernels and copies run in the order in which they were enqueued.
class GpuStream {
public:
    /// A new stream, not ordered with the default stream.
    explicit GpuStream(const GpuDevice& device);
    /// The caller's stream (a cudaStream_t or CUstream; null: the default stream); the caller keeps ownership.
    static GpuStream borrowed(const GpuDevice& device, cuda::Stream handle);
    ~GpuStream();
    GpuStream(GpuStream&& other) noexcept;
    GpuStream& operator=(GpuStream&& other) noexcept;

    void synchronize() const; ///< waits until it is empty; reports kernel errors
    bool is_empty() const;    ///< returns at once; reports kernel errors
    void wait(
        const GpuEvent& event) const; ///< later work on this stream waits for the event; this thread does not
    bool is_capturing() const;        ///< in graph capture: nothing may wait for this stream

    const GpuDevice& device() const { return device_; }
    cuda::Stream handle() const { return handle_; }

private:
    GpuStream(const GpuDevice& device, cuda::Stream handle) : device_(device), handle_(handle) {}

    GpuDevice device_;
    cuda::Stream handle_ = nullptr;
    bool is_own_ = false;
};

/// A marker in a stream that records when the GPU reaches it.
class GpuEvent {
public:
    explicit GpuEvent(const GpuDevice& device);
    ~GpuEvent();
    GpuEvent(GpuEvent&& other) noexcept;
    GpuEvent& operator=(GpuEvent&& other) noexcept;

    void record(const GpuStream& stream) const;
    void synchronize() const; ///< waits until the GPU has reached it
    /// Seconds on the GPU's clock, with a resolution of about half a microsecond; both events must be recorded and
    /// reached.
    double seconds_since(const GpuEvent& start) const;

    cuda::Event handle() const { return handle_; }

private:
    GpuDevice device_;
    cuda::Event handle_ = nullptr;
};

} // namespace swirl::runtime
