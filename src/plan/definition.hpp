#pragma once

#include "problem/problem.hpp"

#include <complex>
#include <functional>
#include <vector>

/// One-dimensional transforms by their definitions, a row at a time.
namespace swirl::planning {

/// The weights of a sum over one axis. Many are computed one by one as they are asked for: kept, they would need as much
/// memory as the data.
class Row {
public:
    using Value = std::complex<double>;
    Row(Integer size, std::function<Value(Integer)> weight);

    Integer size() const { return size_; }
    Value operator[](Integer j) const {
        return kept_.empty() ? weight_(j) : kept_[static_cast<std::size_t>(j)];
    }

private:
    Integer size_;
    std::function<Value(Integer)> weight_;
    std::vector<Value> kept_;
};
/// Entry j is entry (j + steps) mod size of the row.
Row rotated(const Row& row, Integer steps);

/// Row k of the transform of length n: output k = Σ_j row[j]·x[j]. Real kinds as FFTW defines them. A backward real
/// DFT has the n/2+1 stored entries of its half spectrum as x, and the output is the real part of the sum.
Row definition_row(TransformKind kind, Direction direction, Integer n, Integer k);

/// Σ_k r^k·output k as a row over the input: Σ_k r^k·y[k] = Σ_j row[j]·x[j], r = e^{i·angle}, k over the stored outputs
/// (n/2+1 of a forward real DFT; of a backward one, before real parts are taken). Geometric sums in closed form, so
/// O(n) work; for an angle off the grid 2π/n no input and no output has weight 0.
Row functional_row(TransformKind kind, Direction direction, Integer n, long double angle);

/// An angle for functional_row, one of n, that keeps clear of the grids of all kinds.
long double functional_angle(Integer n, Integer which);

/// e^{i·angle·k} for k < count.
Row powers(long double angle, Integer count);

} // namespace swirl::planning
