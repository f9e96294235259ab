#pragma once

#include "problem/problem.hpp"

#include <complex>
#include <functional>
#include <span>
#include <vector>

/// One-dimensional transforms by definition, one row of the matrix at a time.
namespace swirl::planning {

/// Weights of a sum over one axis. Long rows compute each weight on demand: cached, they would need as much memory as
/// the data.
class Row {
public:
    using Value = std::complex<double>;
    /// Computes weights first, first + 1, … of a row.
    using Fill = std::function<void(Integer first, std::span<Value> weights)>;
    Row(Integer size, std::function<Value(Integer)> weight);
    Row(Integer size, Fill fill);

    Integer size() const { return size_; }
    Value operator[](Integer j) const;
    /// Weights first, first + 1, …
    void weights(Integer first, std::span<Value> to) const;

private:
    Integer size_;
    Fill fill_;
    std::vector<Value> cached_;
};
/// The row with entry j equal to row[(j + shift) mod size].
Row rotated(const Row& row, Integer shift);

/// Row k of the transform of length n: output k = Σ_j row[j]·x[j]. Real kinds follow FFTW's definitions. For a backward
/// real DFT, x is the n/2+1 stored elements of the half spectrum, and the output is the real component of the sum.
Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k);

/// The functional Σ_k r^k·output k as a row over the input: Σ_k r^k·y[k] = Σ_j row[j]·x[j], r = e^{i·angle}, with k
/// over the stored outputs (n/2+1 for a forward real DFT; for a backward one, before real components are taken).
/// Geometric sums in closed form give O(n) work. For an angle off the kind's grid, no input and no output has weight 0.
Row functional_row(TransformKind kind, Direction direction, Integer n, long double angle);

/// One of n angles for functional_row, off the grid of the kind.
long double functional_angle(TransformKind kind, Integer n, Integer which);

/// e^{i·angle·k} for k < count.
Row powers(long double angle, Integer count);

} // namespace swirl::planning
