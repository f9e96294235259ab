#pragma once

#include "base/integer.hpp"

/// Size limits of straight-line algorithms.
namespace swirl::rules {

/// Larger primes have no base case: its program takes O(p²) multiplications.
constexpr Integer largest_base_prime = 31;

/// Larger primes have no real form of Rader's algorithm: its program would exceed the instruction cache.
constexpr Integer largest_rader_real_prime = 127;

/// The largest butterfly of a pass: register spills of larger straight-line programs cost more than one pass less
/// saves.
constexpr Integer largest_radix = 64;

/// Longer convolutions of Rader's algorithm are not worth planning: their spectra have no closed form, and their orders
/// are no affine maps, so that every entry takes a table's. Bluestein's algorithm needs neither.
constexpr Integer longest_rader_convolution = Integer{1} << 20;

} // namespace swirl::rules
