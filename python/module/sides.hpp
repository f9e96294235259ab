#pragma once

#include "tensor.hpp"

#include <swirl/arrays.hpp>
#include <swirl/problem.hpp>

#include <string>
#include <vector>

namespace swirl::python {

/// "float64", "complex64", …
std::string dtype_name_of(DataType type);

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

/// As arguments of an execution, which checks their type.
inline Input input_elements(const Tensor& tensor, const std::string& name) {
    return with_elements(tensor, name, [](auto* data) { return Input(data); });
}
inline Output output_elements(const Tensor& tensor, const std::string& name) {
    return with_elements(tensor, name, [](auto* data) { return Output(data); });
}

/// Throws ValueError, which says what would fit, unless the array is in the device's memory and either of the side's shape,
/// with its strides, or contiguous memory that holds all elements.
void check_layout(const Tensor& tensor, const Side& side, Device device);

/// A new array of a side's shape and strides, of the library of another array. Elements between those of the side are zero.
/// Throws TypeError if that library makes no such arrays.
Tensor new_array(const Side& side, const Tensor& like, void* stream);
/// What the caller gets of a new array, with its elements.
nb::object handed_over(const Tensor& made, const Tensor& like);
/// The elements of a side in the memory of an array that fits another side, of the same memory; of a library other than NumPy
/// the array itself.
nb::object view_of(const Tensor& memory, const Side& side);

} // namespace swirl::python
