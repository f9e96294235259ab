#pragma once

#include <cstddef>
#include <memory>

namespace swirl::runtime {

struct FreeBytes {
    void operator()(std::byte* bytes) const;
};
using LargeBytes = std::unique_ptr<std::byte[], FreeBytes>;

/// Uninitialised bytes. Large buffers request huge pages: touching a file buffer's pages of usual size for the first
/// time takes longer than reading the file. Throws std::bad_alloc when out of memory.
LargeBytes make_large_bytes(std::size_t bytes);

} // namespace swirl::runtime
