#pragma once

#include "loops/endpoint.hpp"
#include "loops/recorder.hpp"

namespace swirl::loops {

/// Of a CPU: a cache line, and the L1 cache.
constexpr Integer line_bytes = 64, l1_bytes = 32768;

/// What the width of a column block depends on, apart from the addresses.
struct ColumnCache {
    Integer lanes;   ///< of a vector register
    Integer entries; ///< complex elements that fit into a core's private caches; 0: unknown
};

/// The entries of a column on one side of a chain of factors.
struct ColumnRows {
    const Endpoint& endpoint;
    Integer count;
};

/// How many neighbouring columns, counted by `lane`, go through a chain of factors together: the lanes of a vector, or
/// more where rows evict each other from the caches, so that whole cache lines are used.
Integer block_width(Recorder& recorder, const ColumnCache& cache, const Loop& lane, const ColumnRows& in,
                    const ColumnRows& out);

/// Whether lanes should run along a loop of neighbouring transforms rather than along their entries. Then a codelet's
/// operations on a vector are for `count` entries, not for as many as lanes, but the caller's entries are loaded and
/// stored as vectors, not one by one, which costs each as much as a ninth of these operations.
bool fills_vectors(Integer count, Integer lanes);

} // namespace swirl::loops
