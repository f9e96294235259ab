#pragma once

#include "base/error.hpp"
#include "runtime/cuda_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace swirl::runtime {

/// The caller asked for more than a GPU has left.
class GpuOutOfMemory : public UserError {
public:
    using UserError::UserError;
};

/// Memory of a GPU, freed with the object. Its contents are not set.
class GpuBuffer {
public:
    /// GpuOutOfMemory when there is no room, with the bytes asked for and those free. Of 0 bytes: address 0.
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

/// Memory of a GPU for what is put into a stream while it is alive: it is taken and given back in the stream's order, so
/// that neither waits, and both can be recorded into a graph.
class GpuStreamBuffer {
public:
    /// GpuOutOfMemory when there is no room; UserError where the driver or the GPU cannot do this. The stream must outlive it.
    GpuStreamBuffer(const GpuStream& stream, std::size_t bytes);
    ~GpuStreamBuffer();
    GpuStreamBuffer(const GpuStreamBuffer&) = delete;
    GpuStreamBuffer& operator=(const GpuStreamBuffer&) = delete;

    cuda::Address address() const { return address_; }

private:
    const GpuStream& stream_;
    cuda::Address address_ = 0;
};

/// Return when the copy is done. Not ordered with streams of their own: synchronise those first.
void copy_to_gpu(const GpuDevice& device, cuda::Address to, const void* from, std::size_t bytes);
void copy_from_gpu(const GpuDevice& device, void* to, cuda::Address from, std::size_t bytes);

/// In the order of the stream. Memory of the host has to stay until the stream has come past.
void copy_to_gpu(const GpuStream& stream, cuda::Address to, const void* from, std::size_t bytes);
void copy_from_gpu(const GpuStream& stream, void* to, cuda::Address from, std::size_t bytes);
void copy_on_gpu(const GpuStream& stream, cuda::Address to, cuda::Address from, std::size_t bytes);
void fill_on_gpu(const GpuStream& stream, cuda::Address to, std::uint8_t value, std::size_t bytes);

/// Whose memory a pointer points to.
struct PointerPlace {
    enum class Kind : std::uint8_t {
        host,        ///< that CUDA knows nothing of
        pinned_host, ///< of the host, in a place that GPUs can reach
        gpu,
        managed, ///< moves to where it is used
    };
    Kind kind = Kind::host;
    int gpu = -1; ///< number of the GPU; for pinned and managed memory the one it was asked for on
};
PointerPlace place_of(const GpuDevice& device, const void* pointer);

/// Whether a place is memory of this GPU, or managed.
bool is_memory_of(const GpuDevice& device, const PointerPlace& place);

/// UserError naming the argument, what it is and what would work, unless the pointer is memory of this GPU or managed.
void require_memory_of(const GpuDevice& device, const void* pointer, std::string_view argument);

} // namespace swirl::runtime
