#pragma once

#include "runtime/cuda/memory.hpp"

#include <cstddef>
#include <optional>

namespace swirl::planning {

/// Device memory between two redzones that nothing else uses (guarded_buffer.hpp). Contents are uninitialised.
class GuardedGpuBuffer {
public:
    GuardedGpuBuffer(const runtime::GpuDevice& device, std::size_t bytes);

    runtime::cuda::Address address() const { return whole_.address() + redzone_; } ///< a multiple of 256
    std::size_t bytes() const { return whole_.bytes() - 2 * redzone_; }
    const runtime::GpuDevice& device() const { return whole_.device(); }
    /// Offset from `address` of the first byte written in the redzones. All work on the GPU must have completed.
    std::optional<std::ptrdiff_t> written_in_redzones() const;

private:
    std::size_t redzone_;
    runtime::GpuBuffer whole_;
};

} // namespace swirl::planning
