#pragma once

#include "numpy.hpp"

#include <swirl/arrays.hpp>
#include <swirl/half.hpp>
#include <swirl/problem.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace swirl::python {

/// "float64", "complex64", …
std::string name_of(DataType type);

/// What an execution takes as one of its arrays: the input or output of a transform, A, B or C of a product.
struct Side {
    std::string name;
    DataType type = DataType::float64; ///< of a new array
    std::vector<Integer> shape;        ///< batches, then dimensions
    std::vector<Integer> strides;      ///< in elements
};
Side input_of(const Transform& problem);
Side output_of(const Transform& problem);
Side a_of(const MatrixProduct& product);
Side b_of(const MatrixProduct& product);
Side c_of(const MatrixProduct& product);

/// Calls f with a typed pointer to the array's element with index 0. Throws TypeError if swirl has no such type, ValueError
/// unless elements are aligned and in native byte order.
template <class F> auto with_elements(const Array& array, const std::string& name, F&& f) {
    if (!PyArray_ISBEHAVED_RO(array.get()))
        throw nb::value_error(
            ("the elements of " + name + " must be aligned and in native byte order").c_str());
    switch (data_type_of(array).value_or(DataType::boolean)) {
    case DataType::int8: return f(static_cast<std::int8_t*>(array.data()));
    case DataType::uint8: return f(static_cast<std::uint8_t*>(array.data()));
    case DataType::int32: return f(static_cast<std::int32_t*>(array.data()));
    case DataType::float16: return f(static_cast<float16*>(array.data()));
    case DataType::float32: return f(static_cast<float*>(array.data()));
    case DataType::float64: return f(static_cast<double*>(array.data()));
    case DataType::complex64: return f(static_cast<std::complex<float>*>(array.data()));
    case DataType::complex128: return f(static_cast<std::complex<double>*>(array.data()));
    default: throw nb::type_error(("swirl has no data type for the elements of " + name).c_str());
    }
}
/// As arguments of an execution, which checks their type.
inline Input input_elements(const Array& array, const std::string& name) {
    return with_elements(array, name, [](auto* data) { return Input(data); });
}
inline Output output_elements(const Array& array, const std::string& name) {
    return with_elements(array, name, [](auto* data) { return Output(data); });
}

/// Throws ValueError, which says what would fit, unless the array is either of the side's shape, with its
/// strides, or contiguous memory that holds all elements.
void check_layout(const Array& array, const Side& side);

/// A new array of a side's shape and strides. Elements between those of the side are zero.
Array new_array(const Side& side);
/// The elements of a side in the memory of an array that fits another side, of the same memory.
Array view_of(const Array& memory, const Side& side);

} // namespace swirl::python
