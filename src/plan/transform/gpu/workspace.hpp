#pragma once

#include <cstddef>

namespace swirl::planning {

/// Alignment in bytes of workspaces, their regions and tables: at least a cache line, as for driver allocations.
constexpr std::size_t workspace_alignment = 256;

/// Rounds up to the next region's offset.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// Device memory for intermediate results: aligned to workspace_alignment, used by one execution at a time. Null: the
/// plan allocates it in stream order.
struct GpuWorkspace {
    void* data = nullptr;
    std::size_t bytes = 0;

    bool is_given() const { return data != nullptr || bytes > 0; }
};

} // namespace swirl::planning
