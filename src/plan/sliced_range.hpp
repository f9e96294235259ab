#pragma once

#include "plan/matrix_multiply.hpp"

#include <optional>

namespace swirl::planning {

/// Powers of two by which the numbers of A and B are multiplied before they are taken apart, so that neither slices nor their
/// products are subnormal or overflow.
struct SlicedScale {
    int a = 0;
    int b = 0;
    bool operator==(const SlicedScale&) const = default;
};

/// Extremes of the magnitudes in a matrix, zeros aside.
struct Magnitudes {
    float largest = 0; ///< a NaN or infinity if there is one in the matrix; 0: there are zeros only
    float least = 0;
};
Magnitudes magnitudes_of(const float* matrix, const MatrixLayout& layout, Integer rows, Integer columns,
                         int threads);

/// Nothing where no scale serves: where numbers are infinite or NaN, or of too many magnitudes.
std::optional<SlicedScale> sliced_scale(const Magnitudes& a, const Magnitudes& b, Integer depth);

} // namespace swirl::planning
