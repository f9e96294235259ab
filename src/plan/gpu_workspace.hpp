#pragma once

#include <cstddef>

namespace swirl::planning {

/// Bytes of which workspaces, their parts and tables begin at multiples: a line of the caches and more, as memory from the driver
/// does.
constexpr std::size_t workspace_alignment = 256;

/// So many bytes, and what is left free before the next part.
constexpr std::size_t bytes_of_part(std::size_t bytes) {
    return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// Memory of the GPU for intermediate results: a multiple of workspace_alignment, used by one execution at a time. Null: the plan
/// takes some in the order of the stream.
struct GpuWorkspace {
    void* data = nullptr;
    std::size_t bytes = 0;

    bool is_given() const { return data != nullptr || bytes > 0; }
};

} // namespace swirl::planning
