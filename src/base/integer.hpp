#pragma once

#include "base/error.hpp"

#include <swirl/kinds.hpp>

#include <cstdint>
#include <optional>

namespace swirl {

/// a·b, or nothing on overflow.
inline std::optional<Integer> checked_multiply(Integer a, Integer b) {
    Integer product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

/// a+b, or nothing on overflow.
inline std::optional<Integer> checked_add(Integer a, Integer b) {
    Integer sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

/// ⌊a/b⌋ for b > 0.
constexpr Integer floor_divide(Integer a, Integer b) { return a / b - (a % b < 0 ? 1 : 0); }

/// ⌈a/b⌉ for b > 0.
constexpr Integer ceil_divide(Integer a, Integer b) { return -floor_divide(-a, b); }

/// a mod b in 0…b−1 for b > 0.
constexpr Integer modulo(Integer a, Integer b) { return a - b * floor_divide(a, b); }

} // namespace swirl
