#pragma once

#include <swirl/distributed/box.hpp>

#include <string>
#include <vector>

namespace swirl::distributed {

/// The first index of part `at` of n indices in `parts` parts: ⌊at·n/parts⌋.
Integer part_begin(Integer n, Integer parts, Integer at);

/// A rank's array: boxes one after the other. One box, but for the ranges of a one-dimensional transform, which are pieces of
/// its matrix.
using Pieces = std::vector<Box>;

/// How all elements of an index space are divided among ranks.
struct Decomposition {
    std::vector<Pieces> ranks;
    bool operator==(const Decomposition&) const = default;
};

Decomposition decomposition_of(const std::vector<Box>& boxes);

Integer elements(const Pieces& pieces);
/// The most that a rank has.
Integer largest(const Decomposition& decomposition);
/// Length along an axis.
inline Integer length(const Box& box, std::size_t axis) { return box.upper[axis] - box.lower[axis]; }
/// Axes from slow to fast, with the default made explicit.
std::vector<int> order_of(const Box& box);
/// Whether the rank has no data, or one box that has all indices of an axis of this length.
bool is_whole(const Pieces& pieces, std::size_t axis, Integer length);
/// The common elements; without axes if there are none. The order of `order`.
Box intersection(const Box& a, const Box& b, const std::vector<int>& order);

/// Throws UserError naming the rank and its box unless the boxes, those of `side` ("input", "output"), hold each element once.
/// Empty boxes lose their bounds.
void check_partition(std::vector<Box>& boxes, const std::vector<Integer>& lengths, const char* side);
/// The same for ranks with several boxes; empty ones are removed.
void check_partition(Decomposition& decomposition, const std::vector<Integer>& lengths, const char* side);

} // namespace swirl::distributed
