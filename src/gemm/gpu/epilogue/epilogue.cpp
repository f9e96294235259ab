#include "gemm/gpu/epilogue/epilogue.hpp"

#include "gemm/gpu/simt/layout.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

using Op = loops::Pointwise::Op;
using loops::LayoutForm;

Over transposed(Over over) {
    if (over == Over::all) return over;
    return over == Over::rows ? Over::columns : Over::rows;
}

GpuEpilogue GpuEpilogue::transposed() const {
    GpuEpilogue result = *this;
    const auto transpose = [](loops::Pointwise& one) {
        for (LayoutForm& form : one.forms) std::swap(form.strides[row], form.strides[column]);
    };
    transpose(result.code);
    for (GpuReduction& reduction : result.reductions) {
        transpose(reduction.code);
        reduction.over = gemm::transposed(reduction.over);
    }
    return result;
}

GpuEpilogueWriter::GpuEpilogueWriter(ir::Builder& builder, GpuEpilogue epilogue, DataType scalar, int lanes)
    : builder_(builder), epilogue_(std::move(epilogue)), type_{scalar, lanes} {
    for (std::size_t k = 0; k < epilogue_.arrays.size(); ++k) {
        const GpuEpilogue::Array& array = epilogue_.arrays[k];
        const bool in_vectors = !array.is_complex && reads_in_vectors(k);
        ir::BufferInfo info;
        info.name = "auxiliary_" + array.name;
        info.role = {ir::ArgumentRole::auxiliary, static_cast<int>(k)};
        info.element = scalar;
        info.elements = array.elements * (array.is_complex ? 2 : 1);
        info.alignment = in_vectors ? lanes * bytes_of(scalar) : 0;
        arrays_.push_back(builder.add(info));
    }
}

bool GpuEpilogueWriter::reads_in_vectors(std::size_t array) const {
    for (std::size_t c = 0; c < codes(); ++c)
        for (const loops::Pointwise::Node& node : code(c).nodes)
            if (node.op == Op::array && static_cast<std::size_t>(node.array) == array &&
                is_read_in_vectors(code(c).forms[static_cast<std::size_t>(node.form)]))
                return true;
    return false;
}

/// Whether its elements are contiguous along rows, and its vectors aligned to the lanes.
bool GpuEpilogueWriter::is_read_in_vectors(const LayoutForm& form) const {
    const Integer lanes = type_.lanes;
    return form.strides[GpuEpilogue::row] == 1 && form.strides[GpuEpilogue::column] % lanes == 0 &&
           form.strides[GpuEpilogue::batch] % lanes == 0 && form.constant % lanes == 0;
}

void GpuEpilogueWriter::begin(const Start& start) {
    starts_.clear();
    for (std::size_t c = 0; c < codes(); ++c) {
        starts_.emplace_back();
        for (const LayoutForm& form : code(c).forms) starts_.back().push_back(start_of(form, start));
    }
}

GpuEpilogueWriter::FormStart GpuEpilogueWriter::start_of(const LayoutForm& form, const Start& start) const {
    FormStart result;
    result.unit = is_read_in_vectors(form) ? type_.lanes : 1;
    for (std::size_t axis = 0; axis < GpuEpilogue::axes; ++axis) {
        const Integer scale = axis == GpuEpilogue::row ? type_.lanes : 1;
        const Integer stride = form.strides[axis] * scale / result.unit;
        if (stride == 0 || start[axis] == ir::no_value) continue;
        const ir::Value term = stride == 1 ? start[axis] : builder_.multiply(start[axis], integer(stride));
        result.value = result.value == ir::no_value ? term : builder_.add(result.value, term);
    }
    return result;
}

GpuEpilogueWriter::Form GpuEpilogueWriter::form_of(std::size_t index,
                                                   const loops::Pointwise::Node& node) const {
    const auto form = static_cast<std::size_t>(node.form);
    return {code(index).forms[form], starts_[index][form]};
}

GpuEpilogueWriter::ComplexValue GpuEpilogueWriter::evaluate(std::size_t index, const Coordinates& coordinates,
                                                            const ComplexValue& x) const {
    lower::PointwiseArithmetic arithmetic(builder_, type_);
    return arithmetic.evaluate(code(index).nodes, x, [&](const loops::Pointwise::Node& node) {
        return leaf(arithmetic, index, node, coordinates);
    });
}

ir::Value GpuEpilogueWriter::finish(const Coordinates& coordinates, ir::Value elements) const {
    return epilogue_.code.nodes.empty() ? elements : evaluate(0, coordinates, {elements}).re;
}

ir::Value GpuEpilogueWriter::reduced(std::size_t reduction, const Coordinates& coordinates,
                                     ir::Value elements) const {
    if (code(1 + reduction).nodes.empty()) return elements;
    if (builder_.type(elements).lanes == type_.lanes)
        return evaluate(1 + reduction, coordinates, {elements}).re;
    const auto component = [&](int first) {
        std::vector<std::int8_t> lanes;
        for (int lane = 0; lane < type_.lanes; ++lane)
            lanes.push_back(static_cast<std::int8_t>(2 * lane + first));
        return builder_.shuffle(elements, elements, lanes);
    };
    const ir::Value real = component(0);
    return evaluate(1 + reduction, coordinates, {real, component(1)}).re;
}

Affine GpuEpilogueWriter::offset(const LayoutForm& form, const Coordinates& coordinates) const {
    Affine result = form.constant;
    for (std::size_t axis = 0; axis < GpuEpilogue::axes; ++axis)
        result += coordinates[axis] * form.strides[axis];
    return result;
}

ir::Value GpuEpilogueWriter::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

/// A real value per lane.
ir::Value GpuEpilogueWriter::form_value(const Form& form, const Coordinates& coordinates) const {
    const loops::LayoutForm& wanted = form.form;
    const FormStart& start = form.start;
    const auto at = [&](Integer more) {
        ir::Value value = builder_.index(offset(wanted, coordinates) + more);
        if (start.value != ir::no_value)
            value = builder_.add(
                value, start.unit == 1 ? start.value : builder_.multiply(start.value, integer(start.unit)));
        return builder_.convert(value, type_.scalar);
    };
    const Integer stride = wanted.strides[GpuEpilogue::row];
    if (type_.lanes > 1 && stride == 0) return builder_.splat(at(0), type_.lanes);
    std::vector<ir::Value> lanes;
    for (int lane = 0; lane < type_.lanes; ++lane) lanes.push_back(at(lane * stride));
    return join_lanes(builder_, lanes);
}

GpuEpilogueWriter::ComplexValue GpuEpilogueWriter::array_element(std::size_t array, const Form& form,
                                                                 const Coordinates& coordinates) const {
    const loops::LayoutForm& index = form.form;
    const FormStart& start = form.start;
    const bool is_complex = epilogue_.arrays[array].is_complex;
    const Integer scalars = is_complex ? 2 : 1, stride = scalars * index.strides[GpuEpilogue::row];
    const auto component = [&](Integer which) {
        const bool is_same = type_.lanes > 1 && stride == 0;
        const ir::Value loaded = builder_.load(arrays_[array], scalars * offset(index, coordinates) + which,
                                               {.lanes = is_same ? 1 : type_.lanes,
                                                .lane_stride = type_.lanes > 1 && !is_same ? stride : 1,
                                                .dynamic = start.value,
                                                .dynamic_scale = scalars * start.unit});
        return is_same ? builder_.splat(loaded, type_.lanes) : loaded;
    };
    if (!is_complex) return {component(0)};
    const ir::Value real = component(0);
    return {real, component(1)};
}

GpuEpilogueWriter::ComplexValue GpuEpilogueWriter::leaf(lower::PointwiseArithmetic& arithmetic,
                                                        std::size_t index, const loops::Pointwise::Node& node,
                                                        const Coordinates& coordinates) const {
    const Form form = form_of(index, node);
    if (node.op == Op::array) return array_element(static_cast<std::size_t>(node.array), form, coordinates);
    const ir::Value value = form_value(form, coordinates);
    if (node.op == Op::form) return {value};
    const ir::Value zero = arithmetic.constant(0);
    const auto is_less = [&](ir::Value a, ir::Value b) { return arithmetic.as_real(builder_.less(a, b)); };
    const ir::Value is_negative = is_less(value, zero);
    if (node.op == Op::form_negative) return {is_negative};
    const ir::Value is_nonnegative = arithmetic.opposite(is_negative);
    if (node.op == Op::form_nonnegative) return {is_nonnegative};
    return {builder_.multiply(is_nonnegative, arithmetic.opposite(is_less(zero, value)))};
}

} // namespace swirl::gemm
