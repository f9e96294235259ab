#pragma once

#include "lower/endpoint.hpp"
#include "lower/recorder.hpp"

namespace swirl::lower {

/// What the width of a block of columns depends on, beside where they lie.
struct ColumnCache {
    Integer lanes;   ///< of a machine vector
    Integer entries; ///< complex numbers that a core's own caches hold; 0: unknown
};

/// Neighbouring columns of `rows` entries, of those that `lane` counts, that go through a chain of steps together: a
/// vector's lanes or, where rows lie so that they drive each other out of the caches, more of them, so that lines are
/// fetched with their neighbours.
Integer block_width(Recorder& recorder, const ColumnCache& cache, const Loop& lane, Integer rows,
                    const Endpoint& in, const Endpoint& out);

} // namespace swirl::lower
