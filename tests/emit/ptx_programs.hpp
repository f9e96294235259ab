#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::emit {

/// y = x, element by element or in vectors, where both are aligned to `alignment` bytes (0: to elements).
ir::Program ptx_copy(DataType scalar, int lanes, int alignment);
/// y = xᵀ by tiles of 32 × 32 through shared memory.
ir::Program ptx_transposition(DataType scalar);
/// A butterfly with twiddle factors from a table of `points` entries.
ir::Program ptx_butterfly(DataType scalar, Integer points);

/// Programs for a GPU that together hold everything the PTX back end writes, but atomic additions of bfloat16.
std::vector<ir::Program> ptx_programs();

/// Blocks of a cluster write into each other's shared memory.
ir::Program exchange_in_cluster();
/// Each block passes a value to the opposite one of its group and waits for it; in two halves or at once.
ir::Program opposite_in_group(bool in_halves);

} // namespace swirl::emit
