#pragma once

#include "cli/definition.hpp"
#include "problem/problem.hpp"

#include <complex>
#include <span>
#include <vector>

/// Transforms in long double, by a route that shares nothing with swirl's own: what `verify` compares with.
namespace swirl::cli {

/// One transform of `problem` (strides, batches and scale aside) of row-major data with stored lengths; real data has
/// imaginary parts 0. Costs O(n log n) for any n. Two outputs are proved against the definition before anything is judged by
/// them: InternalError where they differ, which means that the reference is wrong.
/// `number`: which transform of a batch it is, where each has a spectrum of its own.
std::vector<Complex> reference(const Problem& problem, std::span<const Complex> input, Integer number = 0);

/// What `verify` puts into an array that is given at execution.
Complex array_element(Integer i);

/// ‖a − b‖ / ‖b‖ in the Euclidean norm; ‖a‖ where b is zero.
long double relative_error(std::span<const Complex> a, std::span<const Complex> b);

} // namespace swirl::cli
