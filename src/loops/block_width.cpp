#include "loops/block_width.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// Period, in entries, of the memory behind rows that conflict in the cache, else 0.
Integer conflicting_entries(Recorder& recorder, const ColumnRows& rows) {
    constexpr Integer conflicting = 128; // row distances in multiples of this many scalars conflict
    if (rows.count < 2) return 0;
    const auto first = rows.endpoint.locate(0, recorder.extents()),
               second = rows.endpoint.locate(1, recorder.extents());
    const Affine distance = first && second ? second->re - first->re : Affine(1);
    const bool conflict = distance.is_constant() && distance.constant() % conflicting == 0;
    return conflict ? recorder.elements(rows.endpoint.memory()) : 0;
}

} // namespace

Integer block_width(Recorder& recorder, const ColumnCache& cache, const Loop& lane, const ColumnRows& in,
                    const ColumnRows& out) {
    const Integer entries = std::max(conflicting_entries(recorder, in), conflicting_entries(recorder, out));
    if (16 * entries <= cache.entries) return cache.lanes;
    // The farther away the memory, the wider the blocks; half of the cache holds the intermediate vectors.
    const Integer widest = 2 * entries <= cache.entries ? 2 : entries <= 16 * cache.entries ? 4 : 8;
    const Integer vectors = std::clamp(cache.entries / 2 / (in.count * cache.lanes), Integer{1}, widest);
    for (Integer v = vectors; v > 1; --v)
        if (lane.count % (v * cache.lanes) == 0) return v * cache.lanes;
    return cache.lanes;
}

bool fills_vectors(Integer count, Integer lanes) {
    constexpr Integer operations_per_scattered_entry = 9;
    if (2 * count >= ceil_divide(count, lanes) * lanes) return true;
    return count < lanes && operations_per_scattered_entry * (lanes - count) <= lanes * count;
}

} // namespace swirl::loops
