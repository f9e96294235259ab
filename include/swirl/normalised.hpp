/// Values in [0, 1] or [−1, 1] stored as integers, as in graphics (Vulkan's UNORM and SNORM). The integer k stands for
/// k/255 in unorm8, k/65535 in unorm16, max(k/127, −1) in snorm8, and max(k/32767, −1) in snorm16.
///
///     swirl::unorm8 half(0.5F); // 128/255
///     float x = half;
#pragma once

#include <cstdint>
#include <type_traits>

namespace swirl {

namespace detail {

/// Rounds to nearest, ties to even; clamps to the range; NaN becomes 0.
template <class T> T normalised_bits(float x) {
    constexpr float greatest = static_cast<float>((1 << (8 * sizeof(T) - (std::is_signed_v<T> ? 1 : 0))) - 1);
    constexpr float least = std::is_signed_v<T> ? -1 : 0;
    if (!(x == x)) return 0;
    const double scaled = static_cast<double>(x < least ? least : x > 1 ? 1 : x) * greatest; // exact
    constexpr double rounder = 0x1.8p52; // adding it rounds to an integer: its unit in the last place is 1
    return static_cast<T>(scaled + rounder - rounder);
}

template <class T> float normalised_value(T bits) {
    constexpr float greatest = static_cast<float>((1 << (8 * sizeof(T) - (std::is_signed_v<T> ? 1 : 0))) - 1);
    const float value = static_cast<float>(bits) / greatest;
    return value < -1 ? -1 : value;
}

} // namespace detail

struct unorm8 {
    std::uint8_t bits = 0;
    unorm8() = default;
    explicit unorm8(float x) : bits(detail::normalised_bits<std::uint8_t>(x)) {}
    operator float() const { return detail::normalised_value(bits); }
};

struct snorm8 {
    std::int8_t bits = 0;
    snorm8() = default;
    explicit snorm8(float x) : bits(detail::normalised_bits<std::int8_t>(x)) {}
    operator float() const { return detail::normalised_value(bits); }
};

struct unorm16 {
    std::uint16_t bits = 0;
    unorm16() = default;
    explicit unorm16(float x) : bits(detail::normalised_bits<std::uint16_t>(x)) {}
    operator float() const { return detail::normalised_value(bits); }
};

struct snorm16 {
    std::int16_t bits = 0;
    snorm16() = default;
    explicit snorm16(float x) : bits(detail::normalised_bits<std::int16_t>(x)) {}
    operator float() const { return detail::normalised_value(bits); }
};

} // namespace swirl
