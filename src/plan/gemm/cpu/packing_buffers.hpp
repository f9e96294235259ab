#pragma once

#include <cstddef>

namespace swirl::planning {

/// Bytes that a packing buffer takes for at least this many.
std::size_t packing_buffer_bytes(std::size_t bytes);

/// Thread-local memory for packed operands, reused from one product to the next: buffer 0 or 1, page-aligned, with at
/// least this many bytes. Throws std::bad_alloc.
std::byte* packing_buffer(int index, std::size_t bytes);

} // namespace swirl::planning
