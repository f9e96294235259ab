#pragma once

#include "loops/loop_program.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace swirl::loops {

/// A loop with the tag vec(ν), see Vec: `lead` iterations as one short vector, then full vectors, then the remainder; or, if
/// they overlap, first the full vectors, and then the last and the first iterations as vectors of the same length.
struct VectorLoop {
    Loop loop;
    Integer lanes;
    Integer lead = 0; ///< < lanes, ≤ loop.count
    bool overlap = false;
    Integer vectors() const { return (loop.count - lead) / lanes; }
    Integer rest() const { return (loop.count - lead) % lanes; }
    Integer all_vectors() const { return (lead > 0) + ceil_divide(loop.count - lead, lanes); }

    struct Range {
        Integer first, count;
    };
    /// The iterations of a vector, in the order in which vectors run.
    Range iterations_of(Integer vector) const {
        if (!overlap) {
            if (lead > 0 && vector == 0) return {0, lead};
            const Integer first = lead + (vector - (lead > 0)) * lanes;
            return {first, std::min(lanes, loop.count - first)};
        }
        if (vector < vectors()) return {lead + vector * lanes, lanes};
        return {rest() > 0 && vector == vectors() ? loop.count - lanes : 0, lanes};
    }
};

/// The loop that has the tag, if any; at most one loop of a call has it.
inline std::optional<VectorLoop> vector_loop_of(const std::vector<Loop>& loops) {
    for (const Loop& loop : loops)
        if (loop.vec) return VectorLoop{loop, loop.vec->lanes, loop.vec->lead, loop.vec->overlap};
    return std::nullopt;
}

} // namespace swirl::loops
