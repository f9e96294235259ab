#pragma once

#include "fuzz/random.hpp"

#include <swirl/transform.hpp>

namespace swirl::fuzz {

/// What problems may be.
struct Limits {
    Integer points = Integer{1} << 16;   ///< of one transform
    Integer elements = Integer{1} << 17; ///< of a batch of them
    Integer span = Integer{1} << 19;     ///< that an array spans
};

/// A random transform: any kind, one to five dimensions, lengths with large primes, prime powers and 1s, strides of any sign and
/// order, padded, planar, in place, batches, scales. Nearly all are valid; a few have strides that are anything.
Transform draw_transform(Random& random, const Limits& limits);

} // namespace swirl::fuzz
