#pragma once

#include <vector>

namespace swirl::gemm {

/// A float32 x as a sum of bfloat16: x₀ is x rounded, x₁ what is left of it, rounded, x₂ the rest, which is exact (Henry, Tang and
/// Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations", 2019). The product of
/// two sums is that of some pairs of slices; those that are left out are too small to matter.
struct SlicedProduct {
    struct Pair {
        int a = 0, b = 0; ///< slices of A and of B
    };
    /// So many of each number are packed; 1 to 3.
    int slices = 1;
    /// In each pass over the depth the products of these pairs are added, step by step. Small ones come first: sums stay small
    /// as long as possible, and are rounded less.
    std::vector<std::vector<Pair>> passes = {{{0, 0}}};

    int products() const;
};

/// One product: numbers rounded to bfloat16, relative error about 2⁻⁸.
SlicedProduct single_product();
/// Three products of two slices: relative to |A|·|B| about 2⁻¹⁸.
SlicedProduct triple_product();
/// Six products of three slices: no worse than sums of float32 products.
SlicedProduct sixfold_product();

} // namespace swirl::gemm
