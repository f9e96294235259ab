#pragma once

#include "fuzz/random.hpp"

#include <swirl/matrix_product.hpp>

namespace swirl::fuzz {

/// A random product: any kinds of numbers that there are on CPUs, or GPUs, any extents, 0 too, batches, transposed, conjugated, padded
/// and reversed matrices.
MatrixProduct draw_product(Random& random, bool on_gpu, Integer elements);

} // namespace swirl::fuzz
