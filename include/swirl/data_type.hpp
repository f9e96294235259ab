/// Data types of elements in memory and of values in arithmetic.
#pragma once

#include <swirl/kinds.hpp>

#include <cstdint>

namespace swirl {

/// Names are NumPy's, PyTorch's and JAX's: complex64 is two float32, complex128 two float64.
///
/// Transforms are of float32 or float64; float16 and bfloat16 are storage only, with arithmetic in float32.
///
/// In a matrix multiplication, A, B and C have one type, or narrower operands have wider accumulators:
///     float32   bfloat16 · bfloat16, float16 · float16, or float8_e4m3 · float8_e4m3
///     int32     int8 or uint8 · int8 or uint8; accumulators wrap around modulo 2^32
/// and on GPUs
///     float32   any two of float32, bfloat16, float16, int8, uint8, unorm8, snorm8, unorm16 and snorm16
enum class DataType : std::uint8_t {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    int64,
    float8_e4m3, ///< 4 bits of exponent, 3 of mantissa, no infinity
    float16,
    bfloat16,
    float32,
    float64,
    complex32,        ///< two float16
    complex_bfloat16, ///< two bfloat16
    complex64,        ///< two float32
    complex128,       ///< two float64
    unorm8,           ///< unsigned integer k stands for k/255; also the types below (<swirl/normalised.hpp>)
    snorm8,
    unorm16,
    snorm16,
};

constexpr bool is_complex(DataType type) {
    return type == DataType::complex32 || type == DataType::complex_bfloat16 || type == DataType::complex64 ||
           type == DataType::complex128;
}

/// Real floating-point types.
constexpr bool is_floating(DataType type) {
    return type == DataType::float8_e4m3 || type == DataType::float16 || type == DataType::bfloat16 ||
           type == DataType::float32 || type == DataType::float64;
}

/// Integers that stand for themselves.
constexpr bool is_integer(DataType type) {
    return type == DataType::int8 || type == DataType::uint8 || type == DataType::int16 ||
           type == DataType::uint16 || type == DataType::int32 || type == DataType::int64;
}

/// Integers other than those used for counts and addresses.
constexpr bool is_short_integer(DataType type) { return is_integer(type) && type != DataType::int64; }

/// Integers that stand for k divided by the largest integer of the type.
constexpr bool is_normalised(DataType type) {
    return type == DataType::unorm8 || type == DataType::snorm8 || type == DataType::unorm16 ||
           type == DataType::snorm16;
}

/// The type of a complex type's real part; a real type is its own.
constexpr DataType component_of(DataType type) {
    switch (type) {
    case DataType::complex32: return DataType::float16;
    case DataType::complex_bfloat16: return DataType::bfloat16;
    case DataType::complex64: return DataType::float32;
    case DataType::complex128: return DataType::float64;
    default: return type;
    }
}

/// The complex type with this component. Only float16, bfloat16, float32 and float64 have one; others are returned as
/// they are.
constexpr DataType complex_of(DataType component) {
    switch (component) {
    case DataType::float16: return DataType::complex32;
    case DataType::bfloat16: return DataType::complex_bfloat16;
    case DataType::float32: return DataType::complex64;
    case DataType::float64: return DataType::complex128;
    default: return component;
    }
}

/// Bytes of an element.
constexpr Integer bytes_of(DataType type) {
    switch (type) {
    case DataType::boolean:
    case DataType::int8:
    case DataType::uint8:
    case DataType::unorm8:
    case DataType::snorm8:
    case DataType::float8_e4m3: return 1;
    case DataType::int16:
    case DataType::uint16:
    case DataType::unorm16:
    case DataType::snorm16:
    case DataType::float16:
    case DataType::bfloat16: return 2;
    case DataType::int32:
    case DataType::float32:
    case DataType::complex32:
    case DataType::complex_bfloat16: return 4;
    case DataType::int64:
    case DataType::float64:
    case DataType::complex64: return 8;
    case DataType::complex128: return 16;
    }
    return 0;
}

} // namespace swirl
