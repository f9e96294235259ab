#pragma once

#include <vector>

namespace swirl::gemm {

/// A float32 x as a sum of bfloat16 terms: x₀ is x rounded, x₁ the remainder rounded, x₂ the last remainder, which is
/// exact (Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for higher-precision
/// computations", 2019). The product of two such sums keeps some pairs of terms; the omitted ones are negligible.
struct Bf16Split {
    struct Pair {
        int a = 0, b = 0; ///< terms of A and of B
    };
    /// Packed terms per element: 1 to 3.
    int terms = 1;
    /// Each pass over K accumulates the products of these pairs, k index by k index. Small ones come first: the
    /// accumulators stay small as long as possible, and rounding errors with them.
    std::vector<std::vector<Pair>> passes = {{{0, 0}}};

    int term_products() const;
};

/// One product: elements rounded to bfloat16, relative error about 2⁻⁸.
Bf16Split bf16x1();
/// Three products of two terms: error about 2⁻¹⁸ relative to |A|·|B|.
Bf16Split bf16x2();
/// Six products of three terms: no worse than accumulating float32 products.
Bf16Split bf16x3();

} // namespace swirl::gemm
