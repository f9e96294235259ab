#pragma once

#include "base/integer.hpp"

/// How far straight-line algorithms go.
namespace swirl::rules {

/// Primes above this have no base case: its program takes O(p²) multiplications.
constexpr Integer largest_base_prime = 31;

/// Primes above this have no real form of Rader's algorithm: its program would not fit an instruction cache.
constexpr Integer largest_rader_real_prime = 127;

/// The largest butterfly of a pass: larger straight-line programs spill registers more than a pass less saves.
constexpr Integer largest_radix = 64;

} // namespace swirl::rules
