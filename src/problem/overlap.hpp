#pragma once

#include "problem/problem.hpp"

#include <optional>
#include <vector>

namespace swirl {

/// Two index tuples, one entry per axis, that lie at the same offset.
struct Overlap {
    std::vector<Integer> first;
    std::vector<Integer> second;
};

/// What is known about whether two elements of a nest of loops share an offset.
struct OverlapResult {
    enum class Verdict { disjoint, overlapping, undecided } verdict = Verdict::disjoint;
    std::optional<Overlap> witness; ///< where overlapping
};

/// Decides whether Σ index_i·stride_i is different for all index tuples. Exact: `undecided` only where the search,
/// which is exponential in the number of axes that interlock, exceeds its limit of steps. Usual layouts (every
/// stride beyond all that lies inside it) and any two interlocked axes are decided at once.
///
/// Lengths must be ≥ 1 and Σ (length_i − 1)·|stride_i| must be below 2⁶¹.
OverlapResult find_overlap(const std::vector<Axis>& axes);

} // namespace swirl
