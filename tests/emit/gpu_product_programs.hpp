#pragma once

#include "ir/program.hpp"

namespace swirl::emit {

/// Sums of products in a local buffer across a loop, which vectors, strided ones and such with few active lanes load and store.
ir::Program sums_in_registers(DataType scalar);

/// Vectors of 4 at dynamic indices: held in local memory, the smaller of two, with some bits flipped.
ir::Program moving_pointers();

/// Asynchronous copies of 4, 8 and 16 bytes in 3 stages, 2 of them in flight; zeros where a condition fails.
ir::Program copies_in_groups();

/// y = x·a + b, in vectors too, where a and b are passed by value.
ir::Program factors_by_value(DataType scalar);

} // namespace swirl::emit
