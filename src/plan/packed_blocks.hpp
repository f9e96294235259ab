#pragma once

#include <cstddef>

namespace swirl::planning {

/// Memory for packed operands, kept by each thread from one product to the next: block 0 or 1 of at least so many bytes,
/// at a page's beginning. std::bad_alloc when there is none.
std::byte* packed_block(int number, std::size_t bytes);

} // namespace swirl::planning
