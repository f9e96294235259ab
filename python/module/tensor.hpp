#pragma once

#include "numpy.hpp"

#include <swirl/arrays.hpp>
#include <swirl/data_type.hpp>
#include <swirl/device.hpp>
#include <swirl/half.hpp>
#include <swirl/kinds.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace swirl::python {

/// Strides in elements of contiguous memory, the last index fastest.
std::vector<Integer> row_major(const std::vector<Integer>& shape);

/// Memory and layout of an array of any library: what NumPy, PyTorch, CuPy, JAX and others have in common.
struct Tensor {
    nb::object object;    ///< the array
    nb::object memory;    ///< keeps the memory alive
    void* data = nullptr; ///< the element with index 0
    DataType type = DataType::float64;
    std::vector<Integer> shape;
    std::vector<Integer> strides; ///< in elements
    Device device = {};
    bool is_managed = false; ///< memory that the CPU and all GPUs share
    bool is_writable = true;

    bool is_numpy() const;
    Integer size() const;
    bool is_contiguous() const; ///< row-major
};

/// The array of a Python object: a NumPy array, or whatever has `__dlpack__` or `__cuda_array_interface__`. Its memory is not
/// copied. `stream` is the one that will use memory of a GPU; the array's library sees to it that the memory is ready there.
/// Throws TypeError for another object and for a data type that swirl lacks, ValueError unless elements are aligned and in
/// native byte order.
Tensor tensor_of(nb::handle object, const std::string& name, void* stream = nullptr);

/// The GPU whose memory an object is: by its `__dlpack_device__`, else by `__cuda_array_interface__`. The CPU for anything
/// else.
Device device_of(nb::handle object);

/// The stream on which the caller enqueues work for a GPU: of the library whose array is given, the default stream for
/// arrays of a library without such a notion.
void* current_stream(nb::handle array, Device device);

/// Calls f with a typed pointer to the element with index 0. Throws TypeError if executions take no such elements.
template <class F> auto with_elements(DataType type, void* data, const std::string& name, F&& f) {
    switch (type) {
    case DataType::int8: return f(static_cast<std::int8_t*>(data));
    case DataType::uint8: return f(static_cast<std::uint8_t*>(data));
    case DataType::int32: return f(static_cast<std::int32_t*>(data));
    case DataType::float16: return f(static_cast<float16*>(data));
    case DataType::bfloat16: return f(static_cast<bfloat16*>(data));
    case DataType::float32: return f(static_cast<float*>(data));
    case DataType::float64: return f(static_cast<double*>(data));
    case DataType::complex32: return f(static_cast<complex_float16*>(data));
    case DataType::complex_bfloat16: return f(static_cast<complex_bfloat16*>(data));
    case DataType::complex64: return f(static_cast<std::complex<float>*>(data));
    case DataType::complex128: return f(static_cast<std::complex<double>*>(data));
    default: throw nb::type_error(("swirl has no data type for the elements of " + name).c_str());
    }
}
template <class F> auto with_elements(const Tensor& tensor, const std::string& name, F&& f) {
    return with_elements(tensor.type, tensor.data, name, std::forward<F>(f));
}

} // namespace swirl::python
