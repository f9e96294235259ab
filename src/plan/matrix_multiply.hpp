#pragma once

#include <swirl/matrix_product.hpp>

namespace swirl::planning {

struct MatrixExtras;

/// What one execution of a product is given: pointers to the elements (0, 0), or to one number.
struct MatrixArguments {
    const void* alpha;
    const void* a;
    const void* b;
    const void* beta;
    void* c;
    const MatrixExtras* extras = nullptr; ///< what few products have; null: nothing
};

/// A, B and C begin so many of their elements further.
MatrixArguments moved(const MatrixProduct& product, const MatrixArguments& arguments, Integer a, Integer b,
                      Integer c);

/// Cᵀ = α·Bᵀ·Aᵀ + β·Cᵀ: the same memory, with A and B exchanged.
MatrixProduct transposed(const MatrixProduct& product);

/// The same memory, rows and columns exchanged.
MatrixLayout turned(MatrixLayout layout);

/// Steps after which the C of an oriented product is updated.
Integer block_depth_of(const MatrixProduct& product);

/// Whether C's rows are next to each other only after that.
bool wants_transposition(const MatrixProduct& product);

/// How many of so many threads are worth their while for one product.
int threads_worthwhile(const MatrixProduct& product, int threads);

/// C = α·A·B + β·C, at once: nothing is planned that was not planned for another product before. The product is valid, its
/// pointers are as it needs them, C lies apart from A and B. At most `threads` threads work on it; the same bits come out
/// for any number of them.
void multiply(const MatrixProduct& product, const MatrixArguments& arguments, int threads);

} // namespace swirl::planning
