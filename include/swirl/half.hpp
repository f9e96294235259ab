/// 16-bit storage formats. swirl computes in float32; these types are for the caller's arrays.
///
///     swirl::complex_float16 z(std::complex<float>(1, -2));
///     std::complex<float> same = z;
///
/// float16 is IEEE 754 binary16: 11 significant bits, maximum 65504. bfloat16 is the upper half of a float: 8
/// significant bits, maximum 3.4e38. Both are bit-compatible with CUDA's __half and __nv_bfloat16, and the complex
/// types with __half2 and __nv_bfloat162, so pointers can be cast.
#pragma once

#include <swirl/data_type.hpp> // before complex_bfloat16 below, which its enumerator must not shadow

#include <complex>
#include <cstdint>
#include <cstring>

namespace swirl {

namespace detail {

/// The same bits as another type.
template <class To, class From> To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// Rounds to nearest, ties to even. Overflows to infinity from 65520; NaN becomes a quiet NaN.
inline std::uint16_t float16_bits(float x) {
    const auto whole = bits_as<std::uint32_t>(x);
    const std::uint32_t sign = whole >> 16 & 0x8000U;
    std::uint32_t bits = whole & 0x7fffffffU;
    if (bits > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
    if (bits >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U); // 65520
    if (bits < 0x38800000U) { // below 2^-14: near 0.5 floats are 2^-24 apart, like float16's subnormals
        const float moved = bits_as<float>(bits) + 0.5F;
        return static_cast<std::uint16_t>(sign | (bits_as<std::uint32_t>(moved) - 0x3f000000U));
    }
    bits += 0xfffU + (bits >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | (bits - 0x38000000U) >> 13); // the exponent biases differ by 112
}

inline float float16_value(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16, rest = bits & 0x7fffU;
    if (rest >= 0x7c00U) return bits_as<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13);
    // The exponent is 112 too low, also for subnormals; the multiplication by 2^112 mends it.
    const float scaled = bits_as<float>(sign | rest << 13);
    return scaled * bits_as<float>(0x77800000U);
}

/// Rounds to nearest, ties to even; NaN becomes a quiet NaN.
inline std::uint16_t bfloat16_bits(float x) {
    const auto bits = bits_as<std::uint32_t>(x);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

/// Rounds to nearest, ties to even; saturates at 448; NaN stays NaN.
inline std::uint8_t float8_e4m3_bits(float x) {
    const auto whole = bits_as<std::uint32_t>(x);
    const std::uint32_t sign = whole >> 24 & 0x80U;
    std::uint32_t bits = whole & 0x7fffffffU;
    if (bits > 0x7f800000U) return static_cast<std::uint8_t>(sign | 0x7fU);
    if (bits >= 0x43e00000U) return static_cast<std::uint8_t>(sign | 0x7eU); // 448
    if (bits < 0x3c800000U) { // below 2^-6: near 2^14 floats are 2^-9 apart, like the subnormals
        const float moved = bits_as<float>(bits) + 16384.0F;
        return static_cast<std::uint8_t>(sign | (bits_as<std::uint32_t>(moved) - 0x46800000U));
    }
    bits += 0x7ffffU + (bits >> 20 & 1U);
    return static_cast<std::uint8_t>(sign | (bits - 0x3c000000U) >> 20); // the exponent biases differ by 120
}

inline float float8_e4m3_value(std::uint8_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x80U} << 24, rest = bits & 0x7fU;
    if (rest == 0x7fU) return bits_as<float>(sign | 0x7fc00000U);
    // The exponent is 120 too low, also for subnormals; the multiplication by 2^120 mends it.
    return bits_as<float>(sign | rest << 20) * bits_as<float>(0x7b800000U);
}

} // namespace detail

struct float16 {
    std::uint16_t bits = 0;
    float16() = default;
    explicit float16(float x) : bits(detail::float16_bits(x)) {}
    operator float() const { return detail::float16_value(bits); }
};

struct bfloat16 {
    std::uint16_t bits = 0;
    bfloat16() = default;
    explicit bfloat16(float x) : bits(detail::bfloat16_bits(x)) {}
    operator float() const { return detail::bits_as<float>(std::uint32_t{bits} << 16); }
};

/// 8 bits: 4 significant, maximum 448, no infinities (Micikevicius et al. 2022, "FP8 Formats for Deep Learning": E4M3).
struct float8_e4m3 {
    std::uint8_t bits = 0;
    float8_e4m3() = default;
    /// Rounds to nearest, ties to even; saturates at 448; NaN stays NaN.
    explicit float8_e4m3(float x) : bits(detail::float8_e4m3_bits(x)) {}
    operator float() const { return detail::float8_e4m3_value(bits); }
};

/// A complex number with 16-bit components, 4-byte aligned.
template <class T> struct alignas(4) complex_half {
    T real;
    T imaginary;
    complex_half() = default;
    complex_half(T re, T im) : real(re), imaginary(im) {}
    explicit complex_half(std::complex<float> z) : real(z.real()), imaginary(z.imag()) {}
    operator std::complex<float>() const { return {static_cast<float>(real), static_cast<float>(imaginary)}; }
};
using complex_float16 = complex_half<float16>;
using complex_bfloat16 = complex_half<bfloat16>;

} // namespace swirl
