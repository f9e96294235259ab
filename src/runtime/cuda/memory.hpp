#pragma once

#include "base/error.hpp"
#include "runtime/cuda/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace swirl::runtime {

/// GPU memory, freed with the object. Contents are uninitialised.
class GpuBuffer {
public:
    /// Throws OutOfMemory with the requested and the free bytes. 0 bytes: address 0.
    GpuBuffer(const GpuDevice& device, std::size_t bytes);
    ~GpuBuffer();
    GpuBuffer(GpuBuffer&& other) noexcept;
    GpuBuffer& operator=(GpuBuffer&& other) noexcept;

    cuda::Address address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    const GpuDevice& device() const { return device_; }

private:
    GpuDevice device_;
    cuda::Address address_ = 0;
    std::size_t bytes_ = 0;
};

/// Page-locked memory of the host, which GPUs copy at full speed.
class PinnedBuffer {
public:
    /// Throws OutOfMemory. 0 bytes: null.
    PinnedBuffer(const GpuDevice& device, std::size_t bytes);
    ~PinnedBuffer();
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;

    std::byte* data() const { return static_cast<std::byte*>(memory_); }
    std::size_t bytes() const { return bytes_; }

private:
    GpuDevice device_;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Stream-ordered GPU memory for work enqueued while it is alive. Allocation and release follow the stream's order, so
/// neither waits and a graph can capture both.
class GpuStreamBuffer {
public:
    /// Throws OutOfMemory; Unavailable if the driver or the GPU does not support it. The stream must outlive it.
    GpuStreamBuffer(const GpuStream& stream, std::size_t bytes);
    ~GpuStreamBuffer();
    GpuStreamBuffer(const GpuStreamBuffer&) = delete;
    GpuStreamBuffer& operator=(const GpuStreamBuffer&) = delete;

    cuda::Address address() const { return address_; }

private:
    const GpuStream& stream_;
    cuda::Address address_ = 0;
};

/// Synchronous copies. Not ordered with other streams: synchronise those first.
void copy_to_gpu(const GpuDevice& device, cuda::Address to, const void* from, std::size_t bytes);
void copy_from_gpu(const GpuDevice& device, void* to, cuda::Address from, std::size_t bytes);

/// Stream-ordered copies. Host memory must stay valid until the stream has passed them.
void copy_to_gpu(const GpuStream& stream, cuda::Address to, const void* from, std::size_t bytes);
void copy_from_gpu(const GpuStream& stream, void* to, cuda::Address from, std::size_t bytes);
void copy_on_gpu(const GpuStream& stream, cuda::Address to, cuda::Address from, std::size_t bytes);
/// From one GPU to another, or the same; `stream` is of either.
void copy_between_gpus(const GpuStream& stream, const GpuDevice& to_gpu, cuda::Address to,
                       const GpuDevice& from_gpu, cuda::Address from, std::size_t bytes);
void fill_on_gpu(const GpuStream& stream, cuda::Address to, std::uint8_t value, std::size_t bytes);

/// Lets a GPU read and write another's memory, where the machine can. Copies are faster then.
void allow_peer_access(const GpuDevice& device, const GpuDevice& peer);

/// Which memory a pointer refers to.
struct PointerLocation {
    enum class Kind : std::uint8_t {
        host,        ///< host memory unknown to CUDA
        pinned_host, ///< page-locked host memory that GPUs can access
        gpu,
        managed, ///< migrates to where it is used
    };
    Kind kind = Kind::host;
    int gpu = -1; ///< index of the GPU; for pinned and managed memory the GPU that allocated it
};
PointerLocation location_of(const GpuDevice& device, const void* pointer);

/// Whether a location is memory of this GPU, or managed memory.
bool is_memory_of(const GpuDevice& device, const PointerLocation& location);

/// Whether both ends of a range are. One question to the driver where they lie in one allocation.
bool is_memory_of(const GpuDevice& device, const void* first, const void* last);

/// Throws UserError unless the pointer is memory of this GPU or managed memory; names the argument, its memory kind and
/// what would work.
void require_memory_of(const GpuDevice& device, const void* pointer, std::string_view argument);

} // namespace swirl::runtime
