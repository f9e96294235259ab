#pragma once

#include "plan/matrix_multiply.hpp"
#include "plan/sliced_range.hpp"

namespace swirl::planning {

/// How a product of float32 goes through slices of bfloat16 in tile registers, if it does.
struct SlicedRoute {
    int products = 0; ///< of slices; 0: it does not
    SlicedScale scale = {};
    explicit operator bool() const { return products != 0; }
};

/// The route that the accuracy asked for allows, if it is faster than ordinary arithmetic: both are timed when a product of such
/// extents is first asked for, unless they were within the second before. C's rows are next to each other.
SlicedRoute sliced_route(const MatrixProduct& product, Accuracy accuracy);

/// The same with a scale, or no route where the operands' numbers have none. Numbers of one matrix.
SlicedRoute with_scale(SlicedRoute route, const MatrixProduct& product, const MatrixArguments& arguments,
                       int threads);

} // namespace swirl::planning
