/// The data types of C++'s types of elements.
#pragma once

#include <swirl/data_type.hpp>
#include <swirl/half.hpp>
#include <swirl/normalised.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace swirl {

namespace detail {

template <class T> struct DataTypeOf {};
template <DataType D> using DataTypeConstant = std::integral_constant<DataType, D>;
template <> struct DataTypeOf<float> : DataTypeConstant<DataType::float32> {};
template <> struct DataTypeOf<double> : DataTypeConstant<DataType::float64> {};
template <> struct DataTypeOf<std::complex<float>> : DataTypeConstant<DataType::complex64> {};
template <> struct DataTypeOf<std::complex<double>> : DataTypeConstant<DataType::complex128> {};
template <> struct DataTypeOf<bfloat16> : DataTypeConstant<DataType::bfloat16> {};
template <> struct DataTypeOf<float16> : DataTypeConstant<DataType::float16> {};
template <> struct DataTypeOf<complex_bfloat16> : DataTypeConstant<DataType::complex_bfloat16> {};
template <> struct DataTypeOf<complex_float16> : DataTypeConstant<DataType::complex32> {};
template <> struct DataTypeOf<float8_e4m3> : DataTypeConstant<DataType::float8_e4m3> {};
template <> struct DataTypeOf<unorm8> : DataTypeConstant<DataType::unorm8> {};
template <> struct DataTypeOf<snorm8> : DataTypeConstant<DataType::snorm8> {};
template <> struct DataTypeOf<unorm16> : DataTypeConstant<DataType::unorm16> {};
template <> struct DataTypeOf<snorm16> : DataTypeConstant<DataType::snorm16> {};
template <> struct DataTypeOf<std::int8_t> : DataTypeConstant<DataType::int8> {};
template <> struct DataTypeOf<std::uint8_t> : DataTypeConstant<DataType::uint8> {};
template <> struct DataTypeOf<std::int32_t> : DataTypeConstant<DataType::int32> {};

} // namespace detail

namespace detail {

template <class T, class = void> struct HasDataType : std::false_type {};
template <class T> struct HasDataType<T, std::void_t<decltype(DataTypeOf<T>::value)>> : std::true_type {};

} // namespace detail

/// Elements of arrays that swirl reads or writes.
template <class T> inline constexpr bool is_element = detail::HasDataType<T>::value;

/// Elements of matrices: complex matrices have components of 32 or 64 bits.
template <class T>
inline constexpr bool is_matrix_element =
    is_element<T> && !std::is_same_v<T, complex_float16> && !std::is_same_v<T, complex_bfloat16>;

template <class T, std::enable_if_t<is_element<T>, int> = 0> constexpr DataType data_type_of() {
    return detail::DataTypeOf<T>::value;
}

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
template <class T>
using AccumulatorOf = std::enable_if_t<is_matrix_element<T>, typename detail::AccumulatorOf<T>::type>;

} // namespace swirl
