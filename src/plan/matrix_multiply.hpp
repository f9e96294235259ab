#pragma once

#include <swirl/matrix_product.hpp>

namespace swirl::planning {

/// What one execution of a product is given: pointers to the elements (0, 0), or to one number.
struct MatrixArguments {
    const void* alpha;
    const void* a;
    const void* b;
    const void* beta;
    void* c;
};

/// C = α·A·B + β·C, at once: nothing is planned that was not planned for another product before. The product is valid, its
/// pointers are as it needs them, C lies apart from A and B. At most `threads` threads work on it; the same bits come out
/// for any number of them.
void multiply(const MatrixProduct& product, const MatrixArguments& arguments, int threads);

} // namespace swirl::planning
