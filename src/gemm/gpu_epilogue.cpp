#include "gemm/gpu_epilogue.hpp"

#include "gemm/gpu_layout.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

using Op = lower::Pointwise::Op;
using lower::PlaceForm;

GpuEpilogue GpuEpilogue::turned() const {
    GpuEpilogue result = *this;
    for (PlaceForm& form : result.code.forms) std::swap(form.strides[row], form.strides[column]);
    return result;
}

GpuEpilogueWriter::GpuEpilogueWriter(ir::Builder& builder, GpuEpilogue epilogue, ir::Scalar scalar, int lanes)
    : builder_(builder), epilogue_(std::move(epilogue)), type_{scalar, lanes} {
    for (std::size_t k = 0; k < epilogue_.arrays.size(); ++k) {
        const GpuEpilogue::Array& array = epilogue_.arrays[k];
        const auto is_in_vectors = [&](const lower::Pointwise::Node& node) {
            return node.op == Op::array && static_cast<std::size_t>(node.array) == k &&
                   is_read_in_vectors(epilogue_.code.forms[static_cast<std::size_t>(node.form)]);
        };
        const auto& nodes = epilogue_.code.nodes;
        const bool in_vectors = !array.is_complex && std::any_of(nodes.begin(), nodes.end(), is_in_vectors);
        ir::BufferInfo info;
        info.name = "with_" + array.name;
        info.element = scalar;
        info.elements = array.elements * (array.is_complex ? 2 : 1);
        info.alignment = in_vectors ? lanes * ir::size_in_bytes(scalar) : 0;
        arrays_.push_back(builder.add(info));
    }
}

/// Whether it counts neighbouring rows, and vectors of them begin at multiples of the lanes.
bool GpuEpilogueWriter::is_read_in_vectors(const PlaceForm& form) const {
    const Integer lanes = type_.lanes;
    return form.strides[GpuEpilogue::row] == 1 && form.strides[GpuEpilogue::column] % lanes == 0 &&
           form.strides[GpuEpilogue::batch] % lanes == 0 && form.constant % lanes == 0;
}

void GpuEpilogueWriter::begin(const Start& start) {
    starts_.clear();
    for (const PlaceForm& form : epilogue_.code.forms) {
        FormStart of_form;
        of_form.unit = is_read_in_vectors(form) ? type_.lanes : 1;
        for (std::size_t axis = 0; axis < GpuEpilogue::axes; ++axis) {
            const Integer scale = axis == GpuEpilogue::row ? type_.lanes : 1;
            const Integer stride = form.strides[axis] * scale / of_form.unit;
            if (stride == 0 || start[axis] == ir::no_value) continue;
            const ir::Value term =
                stride == 1 ? start[axis] : builder_.multiply(start[axis], integer(stride));
            of_form.value = of_form.value == ir::no_value ? term : builder_.add(of_form.value, term);
        }
        starts_.push_back(of_form);
    }
}

ir::Value GpuEpilogueWriter::finish(const Place& place, ir::Value elements) const {
    if (epilogue_.is_identity()) return elements;
    lower::PointwiseArithmetic arithmetic(builder_, type_);
    return arithmetic
        .evaluate(epilogue_.code.nodes, {elements},
                  [&](const lower::Pointwise::Node& node) { return leaf(arithmetic, node, place); })
        .re;
}

Affine GpuEpilogueWriter::offset(const PlaceForm& form, const Place& place) const {
    Affine result = form.constant;
    for (std::size_t axis = 0; axis < GpuEpilogue::axes; ++axis) result += place[axis] * form.strides[axis];
    return result;
}

ir::Value GpuEpilogueWriter::integer(Integer number) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
}

/// A real for each lane.
ir::Value GpuEpilogueWriter::form_value(std::size_t form, const Place& place) const {
    const PlaceForm& wanted = epilogue_.code.forms[form];
    const FormStart& start = starts_[form];
    const auto at = [&](Integer more) {
        ir::Value value = builder_.index(offset(wanted, place) + more);
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

GpuEpilogueWriter::Number GpuEpilogueWriter::array_element(const lower::Pointwise::Node& node,
                                                           const Place& place) const {
    const auto form = static_cast<std::size_t>(node.form), array = static_cast<std::size_t>(node.array);
    const PlaceForm& index = epilogue_.code.forms[form];
    const FormStart& start = starts_[form];
    const bool is_complex = epilogue_.arrays[array].is_complex;
    const Integer scalars = is_complex ? 2 : 1, stride = scalars * index.strides[GpuEpilogue::row];
    const auto part = [&](Integer which) {
        const bool is_same = type_.lanes > 1 && stride == 0;
        const ir::Value loaded = builder_.load(arrays_[array], scalars * offset(index, place) + which,
                                               {.lanes = is_same ? 1 : type_.lanes,
                                                .lane_stride = type_.lanes > 1 && !is_same ? stride : 1,
                                                .dynamic = start.value,
                                                .dynamic_scale = scalars * start.unit});
        return is_same ? builder_.splat(loaded, type_.lanes) : loaded;
    };
    if (!is_complex) return {part(0)};
    const ir::Value real = part(0);
    return {real, part(1)};
}

GpuEpilogueWriter::Number GpuEpilogueWriter::leaf(lower::PointwiseArithmetic& arithmetic,
                                                  const lower::Pointwise::Node& node,
                                                  const Place& place) const {
    if (node.op == Op::array) return array_element(node, place);
    const ir::Value value = form_value(static_cast<std::size_t>(node.form), place);
    if (node.op == Op::form) return {value};
    const ir::Value zero = arithmetic.number(0);
    const auto is_less = [&](ir::Value a, ir::Value b) { return arithmetic.as_real(builder_.less(a, b)); };
    const ir::Value is_negative = is_less(value, zero);
    if (node.op == Op::form_negative) return {is_negative};
    const ir::Value is_nonnegative = arithmetic.opposite(is_negative);
    if (node.op == Op::form_nonnegative) return {is_nonnegative};
    return {builder_.multiply(is_nonnegative, arithmetic.opposite(is_less(zero, value)))};
}

} // namespace swirl::gemm
