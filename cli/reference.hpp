#pragma once

#include "cli/definition.hpp"
#include "problem/problem.hpp"

#include <complex>
#include <span>
#include <vector>

/// Transforms in long double that share no code with swirl's own: the reference of `verify`.
namespace swirl::cli {

/// One transform of `problem` (without strides, batches and scale) of row-major data with stored lengths; real data has
/// imaginary component 0. Costs O(n log n) for any n. Two outputs are checked against the definition before the
/// reference is used; throws InternalError if they differ, because then the reference is wrong. `batch`: index of the
/// transform in the batch, for batches in which each has a spectrum of its own.
std::vector<Complex> reference(const Transform& problem, std::span<const Complex> input, Integer batch = 0);

/// Test values of `verify` for an array that is given at execution.
Complex array_element(Integer i);

/// ‖a − b‖ / ‖b‖ in the Euclidean norm; ‖a‖ if b is zero.
long double relative_error(std::span<const Complex> a, std::span<const Complex> b);

} // namespace swirl::cli
