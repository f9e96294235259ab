#pragma once

#include "problem/problem.hpp"

#include <complex>
#include <vector>

/// One-dimensional transforms by their definitions, a row at a time.
namespace swirl::planning {

using Row = std::vector<std::complex<double>>;

/// Row k of the transform of length n: output k = Σ_j row[j]·x[j]. Real kinds as FFTW defines them.
Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k);

/// Row j of the inverse times `inverse_norm`: inverse_norm·x[j] = Σ_k row[k]·y[k].
Row inverse_row(TransformKind kind, Direction direction, Integer n, Integer j);
double inverse_norm(TransformKind kind, Integer n);

} // namespace swirl::planning
