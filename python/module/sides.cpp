#include "sides.hpp"

#include <algorithm>
#include <utility>

namespace swirl::python {
namespace {

std::string text_of(const std::vector<Integer>& values) {
    std::string text;
    for (const Integer value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "(" + text + (values.size() == 1 ? ",)" : ")");
}

/// Offsets of the first and the last element in memory, relative to the one with index 0.
std::pair<Integer, Integer> reach_of(const Side& side) {
    Integer low = 0, high = 0;
    for (std::size_t d = 0; d < side.shape.size(); ++d) {
        const Integer reach = (side.shape[d] - 1) * side.strides[d];
        (reach < 0 ? low : high) += reach;
    }
    return {low, high};
}

bool is_empty(const Side& side) {
    return std::find(side.shape.begin(), side.shape.end(), 0) != side.shape.end();
}

bool has_layout(const Tensor& tensor, const Side& side) {
    if (tensor.shape != side.shape) return false;
    for (std::size_t d = 0; d < side.shape.size(); ++d)
        if (side.shape[d] > 1 && tensor.strides[d] != side.strides[d]) return false;
    return true;
}

bool is_complex_kind(TransformKind kind) {
    return kind == TransformKind::dft || kind == TransformKind::convolution || kind == TransformKind::formula;
}

Side side_of(const Transform& problem, bool is_input) {
    Side side;
    side.name = is_input ? "input" : "output";
    const bool is_spectrum =
        problem.kind == TransformKind::real_dft && is_input == (problem.direction == Direction::backward);
    const bool has_complex =
        (is_complex_kind(problem.kind) || is_spectrum) && (is_input || !problem.store.is_stored_as_real());
    side.type = has_complex && problem.layout == ComplexLayout::interleaved ? complex_of(problem.precision)
                                                                            : problem.precision;
    const auto add = [&](const Dimension& dimension, Integer length) {
        side.shape.push_back(length);
        side.strides.push_back(is_input ? dimension.input_stride : dimension.output_stride);
    };
    for (const Dimension& batch : problem.batches) add(batch, batch.length);
    for (const Dimension& dimension : problem.dimensions) {
        const bool is_half = is_spectrum && &dimension == &problem.dimensions.back();
        add(dimension, is_half ? dimension.length / 2 + 1 : dimension.length);
    }
    const bool has_matrix =
        problem.kind == TransformKind::formula || problem.kind == TransformKind::real_formula;
    if (has_matrix && !is_input) side.shape.back() = problem.matrix.rows();
    return side;
}

Side side_of(const MatrixProduct& product, const char* name, DataType type, Integer rows, Integer columns,
             const MatrixLayout& layout) {
    Side side{name, type, {rows, columns}, {layout.row_stride, layout.column_stride}};
    if (product.batch != 1) {
        side.shape.insert(side.shape.begin(), product.batch);
        side.strides.insert(side.strides.begin(), layout.batch_stride);
    }
    return side;
}

/// A view of memory that `base` owns.
Array view(const Array& base, void* first, const Side& side) {
    const Integer element = bytes_of(side.type);
    std::vector<npy_intp> shape(side.shape.begin(), side.shape.end()), strides;
    for (const Integer stride : side.strides) strides.push_back(stride * element);
    Array result = Array::taken(PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(numpy_type_of(side.type)), static_cast<int>(shape.size()),
        shape.data(), strides.data(), first, NPY_ARRAY_WRITEABLE, nullptr));
    if (PyArray_SetBaseObject(result.get(), nb::object(base.object()).release().ptr()) < 0)
        throw nb::python_error();
    return result;
}

/// Elements of a side in memory, from the first to the last, and the position of the one with index 0.
struct Extent {
    Integer elements, first;
};
Extent extent_of(const Side& side) {
    if (is_empty(side)) return {0, 0};
    const auto [low, high] = reach_of(side);
    return {high - low + 1, -low};
}

Tensor new_numpy_array(const Side& side) {
    const int type = numpy_type_of(side.type);
    if (type < 0)
        throw nb::type_error(
            ("NumPy has no data type for " + side.name + ", " + dtype_name_of(side.type)).c_str());
    const Extent extent = extent_of(side);
    npy_intp elements = extent.elements, in_side = 1;
    for (const Integer length : side.shape) in_side *= length;
    const Array memory = Array::taken(elements == in_side ? PyArray_EMPTY(1, &elements, type, 0)
                                                          : PyArray_ZEROS(1, &elements, type, 0));
    return tensor_of(
        view(memory, static_cast<char*>(memory.data()) + extent.first * bytes_of(side.type), side).object(),
        side.name);
}

nb::object tuple_of(const std::vector<Integer>& values) {
    nb::list list;
    for (const Integer value : values) list.append(value);
    return nb::tuple(list);
}

std::string text_of(Device device) {
    return device.is_gpu() ? "of GPU " + std::to_string(device.ordinal()) : "of the CPU";
}

} // namespace

std::string dtype_name_of(DataType type) {
    constexpr std::pair<DataType, const char*> names[] = {
        {DataType::int8, "int8"},           {DataType::uint8, "uint8"},
        {DataType::int32, "int32"},         {DataType::float16, "float16"},
        {DataType::bfloat16, "bfloat16"},   {DataType::float32, "float32"},
        {DataType::float64, "float64"},     {DataType::complex32, "complex32"},
        {DataType::complex64, "complex64"}, {DataType::complex128, "complex128"}};
    for (const auto& [known, name] : names)
        if (known == type) return name;
    return "a type that arrays do not have";
}

Side input_of(const Transform& problem) { return side_of(problem, true); }
Side output_of(const Transform& problem) { return side_of(problem, false); }
Side a_of(const MatrixProduct& p) { return side_of(p, "A", p.type_of_a(), p.rows, p.k, p.a); }
Side b_of(const MatrixProduct& p) { return side_of(p, "B", p.type_of_b(), p.k, p.columns, p.b); }
Side c_of(const MatrixProduct& p) { return side_of(p, "C", p.type_of_c(), p.rows, p.columns, p.c); }

void check_layout(const Tensor& tensor, const Side& side, Device device) {
    if (tensor.device != device && !tensor.is_managed)
        throw nb::value_error((side.name + " is in the memory " + text_of(tensor.device) +
                               ", but the plan is for that " + text_of(device))
                                  .c_str());
    if (has_layout(tensor, side) || is_empty(side)) return;
    const auto [low, high] = reach_of(side);
    if (low == 0 && tensor.is_contiguous() && tensor.size() > high) return;
    throw nb::value_error(
        (side.name + " must have shape " + text_of(side.shape) + " and strides of " + text_of(side.strides) +
         " elements" +
         (low == 0 ? ", or be contiguous with at least " + std::to_string(high + 1) + " elements" : ""))
            .c_str());
}

Tensor new_array(const Side& side, const Tensor& like, void* stream) {
    if (like.is_numpy()) return new_numpy_array(side);
    const Extent extent = extent_of(side);
    const nb::object array =
        nb::module_::import_("swirl._arrays")
            .attr("new_array")(like.object, dtype_name_of(side.type).c_str(), tuple_of(side.shape),
                               tuple_of(side.strides), extent.elements, extent.first);
    return tensor_of(array, side.name, stream);
}

nb::object handed_over(const Tensor& made, const Tensor& like) {
    if (!made.is_numpy() || like.is_numpy()) return made.object;
    return nb::module_::import_("swirl._arrays").attr("handed_over")(like.object, made.object);
}

nb::object view_of(const Tensor& memory, const Side& side) {
    if (!memory.is_numpy()) return memory.object;
    return view(Array::borrowed(memory.object), memory.data, side).object();
}

} // namespace swirl::python
