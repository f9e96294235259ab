#pragma once

#include "loops/loop_program.hpp"

#include <optional>
#include <vector>

namespace swirl::loops {

/// A loop with the tag vec(ν): `lead` iterations as one short vector, then full vectors, then the remainder.
struct VectorLoop {
    Loop loop;
    Integer lanes;
    Integer lead = 0; ///< < lanes, ≤ loop.count
    Integer vectors() const { return (loop.count - lead) / lanes; }
    Integer rest() const { return (loop.count - lead) % lanes; }
    Integer all_vectors() const { return (lead > 0) + ceil_divide(loop.count - lead, lanes); }
    /// Vector and lane of iteration i.
    Integer vector_of(Integer i) const { return i < lead ? 0 : (lead > 0) + (i - lead) / lanes; }
    Integer lane_of(Integer i) const { return i < lead ? i : (i - lead) % lanes; }
};

/// The loop that has the tag, if any; at most one loop of a call has it.
inline std::optional<VectorLoop> vector_loop_of(const std::vector<Loop>& loops) {
    for (const Loop& loop : loops)
        if (loop.vec) return VectorLoop{loop, loop.vec->lanes, loop.vec->lead};
    return std::nullopt;
}

} // namespace swirl::loops
