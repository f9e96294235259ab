#include "numpy.hpp"

namespace swirl::python {

std::optional<DataType> data_type_of(const Array& array) {
    switch (array.type()) {
    case NPY_INT8: return DataType::int8;
    case NPY_UINT8: return DataType::uint8;
    case NPY_INT32: return DataType::int32;
    case NPY_HALF: return DataType::float16;
    case NPY_FLOAT: return DataType::float32;
    case NPY_DOUBLE: return DataType::float64;
    case NPY_CFLOAT: return DataType::complex64;
    case NPY_CDOUBLE: return DataType::complex128;
    default: return std::nullopt;
    }
}

int numpy_type_of(DataType type) {
    switch (type) {
    case DataType::int8: return NPY_INT8;
    case DataType::uint8: return NPY_UINT8;
    case DataType::int32: return NPY_INT32;
    case DataType::float16: return NPY_HALF;
    case DataType::float32: return NPY_FLOAT;
    case DataType::float64: return NPY_DOUBLE;
    case DataType::complex64: return NPY_CFLOAT;
    case DataType::complex128: return NPY_CDOUBLE;
    default: return -1;
    }
}

bool is_plain(const Array& array) {
    if (!PyArray_ISBEHAVED_RO(array.get())) return false;
    const npy_intp element = array.bytes_of_element();
    for (int d = 0; d < array.dimensions(); ++d)
        if (array.strides()[d] % element != 0 && array.shape()[d] > 1) return false;
    return true;
}

Array plain(const Array& array) {
    if (is_plain(array)) return array;
    return Array::taken(PyArray_FromArray(array.get(), PyArray_DescrFromType(array.type()),
                                          NPY_ARRAY_DEFAULT | NPY_ARRAY_ENSURECOPY));
}

} // namespace swirl::python
