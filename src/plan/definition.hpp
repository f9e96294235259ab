#pragma once

#include "problem/problem.hpp"

#include <complex>
#include <vector>

/// One-dimensional transforms by their definitions, a row at a time.
namespace swirl::planning {

using Row = std::vector<std::complex<double>>;

/// Row k of the transform of length n: output k = Σ_j row[j]·x[j]. Real kinds as FFTW defines them.
Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k);

/// Σ_k r^k·output k as a row over the input: Σ_k r^k·y[k] = Σ_j row[j]·x[j], r = e^{i·angle}. Geometric sums in closed
/// form, so O(n) work; for an angle off the grid 2π/n no input and no output has weight 0.
Row functional_row(TransformKind kind, Direction direction, Integer n, double angle);

} // namespace swirl::planning
