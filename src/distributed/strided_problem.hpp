#pragma once

#include "distributed/factors.hpp"

#include <vector>

namespace swirl::distributed {

/// Transforms along some axes of a box as one problem of a plan: all other axes are its batch loops. Strides are those of the box's
/// axes, in elements; 0 for an axis of one index.
Transform strided_problem(const Factors& factors, std::vector<std::size_t> transforms, const Box& before,
                          const std::vector<Integer>& in, const std::vector<Integer>& out, double scale);

} // namespace swirl::distributed
