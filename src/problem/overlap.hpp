#pragma once

#include "problem/problem.hpp"

#include <optional>
#include <vector>

namespace swirl {

/// Two index tuples, one entry per axis, with the same offset.
struct Overlap {
    std::vector<Integer> first;
    std::vector<Integer> second;
};

/// Whether two elements of a loop nest share an offset.
struct OverlapResult {
    enum class Verdict { disjoint, overlapping, undecided } verdict = Verdict::disjoint;
    std::optional<Overlap> witness; ///< if overlapping
};

/// Decides whether Σ index_i·stride_i differs for all index tuples. Exact, except for `undecided`: the search is
/// exponential in the number of interleaved axes and stops at a step limit. Common layouts (every stride beyond all
/// that lies inside it) and any two interleaved axes are decided directly.
///
/// Lengths must be ≥ 1 and Σ (length_i − 1)·|stride_i| must be below 2⁶¹.
OverlapResult find_overlap(const std::vector<Axis>& axes);

} // namespace swirl
