#pragma once

#include "problem/matrix_product.hpp"

#include <utility>

namespace swirl::planning {

struct MatrixCode;
struct MatrixExtras;

/// Arguments of one execution: pointers to elements (0, 0), and to the scalars α and β.
struct MatrixArguments {
    const void* alpha;
    const void* a;
    const void* b;
    const void* beta;
    void* c;
    const MatrixExtras* extras = nullptr; ///< rarely used inputs; null: none
};

/// Advances A, B and C by these numbers of elements.
MatrixArguments moved(const MatrixProduct& product, const MatrixArguments& arguments, Integer a, Integer b,
                      Integer c);

/// k indices that the code's blocks accumulate before C of a canonical product is updated.
Integer kc_of(const MatrixProduct& product, const MatrixCode& code);

/// Whether C has row stride 1 only after transposition, or is one row that is better computed as one column.
bool wants_transposition(const MatrixProduct& product);

/// Number of threads, at most `threads`, that pay off for one product.
int threads_worthwhile(const MatrixProduct& product, int threads);

/// Numbers of threads along the rows and along the columns of C, with nearly square subproblems.
std::pair<int, int> thread_grid(int threads, const MatrixProduct& product);

/// C = α·A·B + β·C by the code, or by a specialised kernel with the same bits that earlier products have compiled. The
/// product must be valid, its pointers correct, C disjoint from A and B. Uses at most `threads` threads; the bits do not
/// depend on their number.
void multiply(const MatrixProduct& product, const MatrixArguments& arguments, const MatrixCode& code,
              int threads);

} // namespace swirl::planning
