#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace swirl {

/// Mixes one 64-bit word into a running hash (the finaliser of splitmix64: Steele, Lea, Flood 2014).
constexpr std::size_t mix_hash(std::size_t seed, std::uint64_t word) {
    std::uint64_t x = seed + 0x9e3779b97f4a7c15ULL + word;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>(x ^ (x >> 31));
}

/// Combined hash of a sequence of values, each through std::hash.
template <class... Values> std::size_t hash_of(const Values&... values) {
    std::size_t seed = 0;
    ((seed = mix_hash(seed, std::hash<Values>{}(values))), ...);
    return seed;
}

} // namespace swirl
