#pragma once

#include "fuzz/random.hpp"

#include <swirl/matrix_product.hpp>

namespace swirl::fuzz {

/// A random product: any kinds of numbers that there are on CPUs, or GPUs, any extents, 0 too, batches, transposed, conjugated, padded
/// and reversed matrices.
MatrixProduct draw_product(Random& random, bool on_gpu, Integer elements);

/// Whether lists of pointers may say where a GPU finds the product's matrices, by execute_each(): α has to be what sums of A's numbers are.
bool may_be_listed(const MatrixProduct& product);

} // namespace swirl::fuzz
