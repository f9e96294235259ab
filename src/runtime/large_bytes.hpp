#pragma once

#include <cstddef>
#include <memory>

namespace swirl::runtime {

struct FreeBytes {
    void operator()(std::byte* bytes) const;
};
using LargeBytes = std::unique_ptr<std::byte[], FreeBytes>;

/// Bytes of no value yet. Where there are many, the system is asked for large pages: the first touch of each usual page of what a
/// file is read into takes longer than the reading. std::bad_alloc where there is no memory.
LargeBytes make_large_bytes(std::size_t bytes);

} // namespace swirl::runtime
