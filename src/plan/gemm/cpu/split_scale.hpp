#pragma once

#include "plan/gemm/cpu/multiply.hpp"

#include <optional>

namespace swirl::planning {

/// Powers of two that scale A and B before the bf16 split: neither its terms nor their products under- or overflow.
struct SplitScale {
    int a = 0;
    int b = 0;
    bool operator==(const SplitScale&) const = default;
};

/// Range of magnitudes in a matrix, without zeros.
struct Magnitudes {
    float largest = 0; ///< NaN or infinity if the matrix has one; 0 if all elements are zero
    float least = 0;
};
Magnitudes magnitudes_of(const float* matrix, const MatrixLayout& layout, Integer rows, Integer columns,
                         int threads);

/// Empty if no scale suits: infinities or NaN, or too wide a range of magnitudes.
std::optional<SplitScale> split_scale(const Magnitudes& a, const Magnitudes& b, Integer k_extent);

} // namespace swirl::planning
