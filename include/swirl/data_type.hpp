/// Data types of matrices, and their accumulators.
#pragma once

#include <swirl/half.hpp>
#include <swirl/kinds.hpp>
#include <swirl/normalised.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace swirl {

/// Data type of a matrix's elements. A, B and C have one type, or narrower operands have wider accumulators:
///     float32   bfloat16 · bfloat16, float16 · float16, or float8_e4m3 · float8_e4m3
///     int32     int8 or uint8 · int8 or uint8; accumulators wrap around modulo 2^32
/// and on GPUs
///     float32   any two of float32, bfloat16, float16, int8, uint8, unorm8, snorm8, unorm16 and snorm16
enum class DataType : std::uint8_t {
    float32,
    float64,
    complex64,
    complex128,
    bfloat16, ///< A, B, and C in memory (MatrixProduct::c_type); also the next three
    float16,
    int8,
    uint8,
    int32,       ///< accumulators, α and β only
    float8_e4m3, ///< A and B, on GPUs
    unorm8,      ///< C in memory, A and B on GPUs; also the types below (<swirl/normalised.hpp>)
    snorm8,
    unorm16,
    snorm16,
};

constexpr bool is_complex(DataType data_type) {
    return data_type == DataType::complex64 || data_type == DataType::complex128;
}
constexpr Integer bytes_of(DataType data_type) {
    switch (data_type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::unorm8:
    case DataType::snorm8:
    case DataType::float8_e4m3: return 1;
    case DataType::unorm16:
    case DataType::snorm16:
    case DataType::bfloat16:
    case DataType::float16: return 2;
    case DataType::float32:
    case DataType::int32: return 4;
    case DataType::float64:
    case DataType::complex64: return 8;
    case DataType::complex128: return 16;
    }
    return 0;
}

namespace detail {

template <class T> struct DataTypeOf {};
template <DataType N> using DataTypeConstant = std::integral_constant<DataType, N>;
template <> struct DataTypeOf<float> : DataTypeConstant<DataType::float32> {};
template <> struct DataTypeOf<double> : DataTypeConstant<DataType::float64> {};
template <> struct DataTypeOf<std::complex<float>> : DataTypeConstant<DataType::complex64> {};
template <> struct DataTypeOf<std::complex<double>> : DataTypeConstant<DataType::complex128> {};
template <> struct DataTypeOf<bfloat16> : DataTypeConstant<DataType::bfloat16> {};
template <> struct DataTypeOf<float16> : DataTypeConstant<DataType::float16> {};
template <> struct DataTypeOf<float8_e4m3> : DataTypeConstant<DataType::float8_e4m3> {};
template <> struct DataTypeOf<unorm8> : DataTypeConstant<DataType::unorm8> {};
template <> struct DataTypeOf<snorm8> : DataTypeConstant<DataType::snorm8> {};
template <> struct DataTypeOf<unorm16> : DataTypeConstant<DataType::unorm16> {};
template <> struct DataTypeOf<snorm16> : DataTypeConstant<DataType::snorm16> {};
template <> struct DataTypeOf<std::int8_t> : DataTypeConstant<DataType::int8> {};
template <> struct DataTypeOf<std::uint8_t> : DataTypeConstant<DataType::uint8> {};
template <> struct DataTypeOf<std::int32_t> : DataTypeConstant<DataType::int32> {};

} // namespace detail

template <class T>
concept MatrixElement = requires {
    detail::DataTypeOf<T>::value;
};

template <MatrixElement T> constexpr DataType data_type_of() { return detail::DataTypeOf<T>::value; }

namespace detail {

/// Data type in which products of T's are accumulated.
template <class T> struct AccumulatorOf { using type = T; };
template <> struct AccumulatorOf<bfloat16> { using type = float; };
template <> struct AccumulatorOf<float16> { using type = float; };
template <> struct AccumulatorOf<float8_e4m3> { using type = float; };
template <> struct AccumulatorOf<unorm8> { using type = float; };
template <> struct AccumulatorOf<snorm8> { using type = float; };
template <> struct AccumulatorOf<unorm16> { using type = float; };
template <> struct AccumulatorOf<snorm16> { using type = float; };
template <> struct AccumulatorOf<std::int8_t> { using type = std::int32_t; };
template <> struct AccumulatorOf<std::uint8_t> { using type = std::int32_t; };

} // namespace detail

/// Data type of α, β and the accumulators for A of T's.
template <MatrixElement T> using AccumulatorOf = typename detail::AccumulatorOf<T>::type;

} // namespace swirl
