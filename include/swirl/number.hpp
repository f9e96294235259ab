/// Numbers of matrices, and which sums their products have.
#pragma once

#include <swirl/half.hpp>
#include <swirl/kinds.hpp>
#include <swirl/normalised.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace swirl {

/// What a matrix's numbers are. Those of A, B and C are of one kind, or narrow ones give wider sums:
///     float32   bfloat16 · bfloat16, float16 · float16, or float8_e4m3 · float8_e4m3
///     int32     int8 or uint8 · int8 or uint8; sums wrap around at 2^32
/// and on GPUs
///     float32   any two of float32, bfloat16, float16, int8, uint8, unorm8, snorm8, unorm16 and snorm16
enum class Number : std::uint8_t {
    float32,
    float64,
    complex32,
    complex64,
    bfloat16, ///< of A and B, and of C as it is stored (MatrixProduct::c_number), as the following
    float16,
    int8,
    uint8,
    int32,       ///< of sums, α and β only
    float8_e4m3, ///< of A and B, on GPUs
    unorm8,      ///< as it is stored, as the following (<swirl/normalised.hpp>); of A and B on GPUs
    snorm8,
    unorm16,
    snorm16,
};

constexpr bool is_complex(Number number) {
    return number == Number::complex32 || number == Number::complex64;
}
constexpr Integer bytes_of(Number number) {
    switch (number) {
    case Number::int8:
    case Number::uint8:
    case Number::unorm8:
    case Number::snorm8:
    case Number::float8_e4m3: return 1;
    case Number::unorm16:
    case Number::snorm16:
    case Number::bfloat16:
    case Number::float16: return 2;
    case Number::float32:
    case Number::int32: return 4;
    case Number::float64:
    case Number::complex32: return 8;
    case Number::complex64: return 16;
    }
    return 0;
}

namespace detail {

template <class T> struct NumberOf {};
template <Number N> using NumberConstant = std::integral_constant<Number, N>;
template <> struct NumberOf<float> : NumberConstant<Number::float32> {};
template <> struct NumberOf<double> : NumberConstant<Number::float64> {};
template <> struct NumberOf<std::complex<float>> : NumberConstant<Number::complex32> {};
template <> struct NumberOf<std::complex<double>> : NumberConstant<Number::complex64> {};
template <> struct NumberOf<bfloat16> : NumberConstant<Number::bfloat16> {};
template <> struct NumberOf<float16> : NumberConstant<Number::float16> {};
template <> struct NumberOf<float8_e4m3> : NumberConstant<Number::float8_e4m3> {};
template <> struct NumberOf<unorm8> : NumberConstant<Number::unorm8> {};
template <> struct NumberOf<snorm8> : NumberConstant<Number::snorm8> {};
template <> struct NumberOf<unorm16> : NumberConstant<Number::unorm16> {};
template <> struct NumberOf<snorm16> : NumberConstant<Number::snorm16> {};
template <> struct NumberOf<std::int8_t> : NumberConstant<Number::int8> {};
template <> struct NumberOf<std::uint8_t> : NumberConstant<Number::uint8> {};
template <> struct NumberOf<std::int32_t> : NumberConstant<Number::int32> {};

} // namespace detail

template <class T>
concept MatrixNumber = requires {
    detail::NumberOf<T>::value;
};

template <MatrixNumber T> constexpr Number number_of() { return detail::NumberOf<T>::value; }

namespace detail {

/// Of sums of products of T's.
template <class T> struct SumOf { using type = T; };
template <> struct SumOf<bfloat16> { using type = float; };
template <> struct SumOf<float16> { using type = float; };
template <> struct SumOf<float8_e4m3> { using type = float; };
template <> struct SumOf<unorm8> { using type = float; };
template <> struct SumOf<snorm8> { using type = float; };
template <> struct SumOf<unorm16> { using type = float; };
template <> struct SumOf<snorm16> { using type = float; };
template <> struct SumOf<std::int8_t> { using type = std::int32_t; };
template <> struct SumOf<std::uint8_t> { using type = std::int32_t; };

} // namespace detail

/// What α, β and sums are where A's numbers are T's.
template <MatrixNumber T> using SumOf = typename detail::SumOf<T>::type;

} // namespace swirl
