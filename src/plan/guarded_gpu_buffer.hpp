#pragma once

#include "runtime/cuda_memory.hpp"

#include <cstddef>
#include <optional>

namespace swirl::planning {

/// Memory of a GPU between two zones that belong to nobody else (guarded_buffer.hpp). What it holds is not set.
class GuardedGpuBuffer {
public:
    GuardedGpuBuffer(const runtime::GpuDevice& device, std::size_t bytes);

    runtime::cuda::Address address() const { return whole_.address() + zone_; } ///< a multiple of 256
    std::size_t bytes() const { return whole_.bytes() - 2 * zone_; }
    const runtime::GpuDevice& device() const { return whole_.device(); }
    /// The first byte of the zones that was written, from `address` on. All work of the GPU has to be done.
    std::optional<std::ptrdiff_t> touched_in_zones() const;

private:
    std::size_t zone_;
    runtime::GpuBuffer whole_;
};

} // namespace swirl::planning
