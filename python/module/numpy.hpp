/// NumPy's C interface and nanobind, as the files of the module use them. One file, module.cpp, imports NumPy's functions.
#pragma once

#include <nanobind/nanobind.h>

#include <swirl/data_type.hpp>

#define PY_ARRAY_UNIQUE_SYMBOL swirl_numpy_functions
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#ifndef SWIRL_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <optional>
#include <utility>

namespace swirl::python {

namespace nb = nanobind;

/// A NumPy array that this holds a reference to; empty by default.
class Array {
public:
    Array() = default;
    /// Takes over a new reference; if it is null, throws the Python exception that is set.
    static Array taken(PyObject* reference) {
        if (reference == nullptr) throw nb::python_error();
        Array result;
        result.object_ = nb::steal<nb::object>(reference);
        return result;
    }
    static Array borrowed(nb::handle array) {
        Array result;
        result.object_ = nb::borrow<nb::object>(array);
        return result;
    }

    explicit operator bool() const { return object_.is_valid(); }
    PyArrayObject* get() const { return reinterpret_cast<PyArrayObject*>(object_.ptr()); }
    nb::object object() && { return std::move(object_); }
    const nb::object& object() const& { return object_; }

    int dimensions() const { return PyArray_NDIM(get()); }
    const npy_intp* shape() const { return PyArray_DIMS(get()); }
    const npy_intp* strides() const { return PyArray_STRIDES(get()); } ///< in bytes
    npy_intp size() const { return PyArray_SIZE(get()); }
    npy_intp bytes_of_element() const { return PyArray_ITEMSIZE(get()); }
    int type() const { return PyArray_TYPE(get()); }
    void* data() const { return PyArray_DATA(get()); }

private:
    nb::object object_;
};

/// swirl's type of the elements of an array in native byte order; none if swirl has no such type.
std::optional<DataType> data_type_of(const Array& array);
/// NumPy's type number; -1 if NumPy has no such type.
int numpy_type_of(DataType type);

/// Whether each element is aligned and in native byte order, and all strides are multiples of an element.
bool is_plain(const Array& array);
/// The array itself if it is plain, else a copy that is.
Array plain(const Array& array);

} // namespace swirl::python
