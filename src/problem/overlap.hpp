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

/// Elements in memory: those of a loop nest, with strides in elements. No axes: one element.
struct Elements {
    std::vector<Axis> axes;
    Integer bytes = 1; ///< of an element
    Integer first = 0; ///< bytes from the pointer to the first element
};

/// Decides whether two sets of elements share a byte, where the second one's element with index 0 lies `distance` bytes
/// after the first one's. Exact, except for `undecided`. Lengths must be ≥ 1; the reach of both sets and the distance
/// must add up to less than 2⁶¹ bytes.
OverlapResult::Verdict find_shared_byte(const Elements& first, const Elements& second, Integer distance);

/// The same for pointers to the elements with index 0. Undecided counts as shared.
bool share_a_byte(const Elements& first, const void* first_pointer, const Elements& second,
                  const void* second_pointer);

} // namespace swirl
