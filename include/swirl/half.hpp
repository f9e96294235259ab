/// Numbers of 16 bits in memory. swirl computes with them in float32; these types are for what a program keeps.
///
///     swirl::complex_float16 z(std::complex<float>(1, -2));
///     std::complex<float> same = z;
///
/// float16 is IEEE 754's binary16: 11 significant bits, up to 65504. bfloat16 is the upper half of a float: 8 significant
/// bits, up to 3.4e38. Their bytes are those of CUDA's __half and __nv_bfloat16, of a complex number those of __half2 and
/// __nv_bfloat162: pointers to these can be cast.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>

namespace swirl {

namespace detail {

/// Rounded to the nearest, ties to even; infinity beyond 65504 rounded, a quiet NaN for NaN.
inline std::uint16_t float16_bits(float x) {
    const auto whole = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = whole >> 16 & 0x8000U;
    std::uint32_t bits = whole & 0x7fffffffU;
    if (bits > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
    if (bits >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U); // 65520
    if (bits < 0x38800000U) { // below 2^-14: next to 0.5, floats are 2^-24 apart, as float16's subnormals are
        const float moved = std::bit_cast<float>(bits) + 0.5F;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(moved) - 0x3f000000U));
    }
    bits += 0xfffU + (bits >> 13 & 1U);
    return static_cast<std::uint16_t>(sign |
                                      (bits - 0x38000000U) >> 13); // the exponents' biases differ by 112
}

inline float float16_value(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16, rest = bits & 0x7fffU;
    if (rest >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (rest & 0x3ffU) << 13);
    // With float's exponent bits 112 too low, also where it is subnormal; the factor is 2^112.
    const float scaled = std::bit_cast<float>(sign | rest << 13);
    return scaled * std::bit_cast<float>(0x77800000U);
}

/// Rounded to the nearest, ties to even; a quiet NaN for NaN.
inline std::uint16_t bfloat16_bits(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

/// Rounded to the nearest, ties to even; 448 beyond it, NaN for NaN.
inline std::uint8_t float8_e4m3_bits(float x) {
    const auto whole = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = whole >> 24 & 0x80U;
    std::uint32_t bits = whole & 0x7fffffffU;
    if (bits > 0x7f800000U) return static_cast<std::uint8_t>(sign | 0x7fU);
    if (bits >= 0x43e00000U) return static_cast<std::uint8_t>(sign | 0x7eU); // 448
    if (bits < 0x3c800000U) { // below 2^-6: next to 2^14, floats are 2^-9 apart, as the subnormals are
        const float moved = std::bit_cast<float>(bits) + 16384.0F;
        return static_cast<std::uint8_t>(sign | (std::bit_cast<std::uint32_t>(moved) - 0x46800000U));
    }
    bits += 0x7ffffU + (bits >> 20 & 1U);
    return static_cast<std::uint8_t>(sign |
                                     (bits - 0x3c000000U) >> 20); // the exponents' biases differ by 120
}

inline float float8_e4m3_value(std::uint8_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x80U} << 24, rest = bits & 0x7fU;
    if (rest == 0x7fU) return std::bit_cast<float>(sign | 0x7fc00000U);
    // With float's exponent bits 120 too low, also where it is subnormal; the factor is 2^120.
    return std::bit_cast<float>(sign | rest << 20) * std::bit_cast<float>(0x7b800000U);
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
    operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// 8 bits: four significant ones, up to 448, no infinities (Micikevicius et al. 2022, "FP8 Formats for Deep Learning": E4M3).
struct float8_e4m3 {
    std::uint8_t bits = 0;
    float8_e4m3() = default;
    /// Rounded to the nearest, ties to even; beyond 448 it stays there, NaN is NaN.
    explicit float8_e4m3(float x) : bits(detail::float8_e4m3_bits(x)) {}
    operator float() const { return detail::float8_e4m3_value(bits); }
};

/// A complex number of two such, on 4 bytes.
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
