#pragma once

#include "fuzz/epilogue.hpp"
#include "fuzz/journal.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/random.hpp"

#include <swirl/matrix_product.hpp>

namespace swirl::fuzz {

/// A random product: any data types of CPUs or GPUs, any extents, 0 too, batches, transposed, conjugated, padded
/// and reversed matrices.
MatrixProduct draw_product(Random& random, bool on_gpu, Integer elements);

/// A product and all that goes with it.
struct ProductCase {
    MatrixProduct product; ///< with its epilogue and reduction
    Factors factors;
    Epilogue epilogue;
    bool by_lists; ///< on a GPU its batch's matrices are where pointers say
};

/// Draws one and notes it in the journal, in words that begin with `what`.
ProductCase draw_product_case(Random& random, bool on_gpu, Integer elements, Journal& journal,
                              const char* what = "");

} // namespace swirl::fuzz
