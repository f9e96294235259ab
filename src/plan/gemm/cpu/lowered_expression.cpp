#include "plan/gemm/cpu/lowered_expression.hpp"

#include "plan/gemm/cpu/multiply.hpp"
#include "plan/transform/cpu/pointwise.hpp"

#include <algorithm>
#include <utility>

namespace swirl::planning {

namespace {

using loops::Pointwise;
using Op = Pointwise::Op;

/// Axes of an expression's scope.
constexpr std::size_t batch_axis = 0, row_axis = 1, column_axis = 2;

template <class T> std::vector<std::byte> iota_bytes(Integer count) {
    std::vector<T> indices(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < indices.size(); ++k) indices[k] = static_cast<T>(k);
    const auto* const bytes = reinterpret_cast<const std::byte*>(indices.data());
    return {bytes, bytes + indices.size() * sizeof(T)};
}

} // namespace

LoweredExpression::LoweredExpression(const MatrixProduct& product, const ExpressionScope& scope,
                                     const Expression& of)
    : scalar_bytes_(static_cast<std::size_t>(bytes_of(gemm::epilogue_scalar(product.data_type)))) {
    const std::vector<AuxiliaryArray> arrays = arrays_of(product);
    const bool is_transposed = wants_transposition(product);
    const Expression expression = of.is_identity() ? Expression::x() : of;
    const Pointwise code = pointwise_of(*expression.tree(), scope, arrays);
    std::vector<bool> complex;
    for (const AuxiliaryArray& array : arrays) complex.push_back(array.is_complex);
    const auto operand_of = [&](const Pointwise::Node& node) {
        const auto form = static_cast<std::size_t>(node.form);
        return operand(node.array, complex[static_cast<std::size_t>(node.array)], code.forms[form].strides,
                       is_transposed);
    };
    std::vector<int> new_index; // maps the code's nodes to these
    for (Pointwise::Node node : code.nodes) {
        for (int& at : node.operands) at = new_index[static_cast<std::size_t>(at)];
        if (node.op == Op::array) {
            node.array = operand_of(node);
            node.form = 0;
            new_index.push_back(push(node));
            continue;
        }
        const bool is_form = node.op == Op::form || node.op == Op::form_negative ||
                             node.op == Op::form_nonnegative || node.op == Op::form_zero;
        if (!is_form) {
            new_index.push_back(push(node));
            continue;
        }
        const int value = form(code.forms[static_cast<std::size_t>(node.form)], is_transposed);
        const auto against_zero = [&](Op op, bool is_first) {
            const int zero = push({.op = Op::constant});
            return push(
                {.op = op, .operands = is_first ? std::vector{zero, value} : std::vector{value, zero}});
        };
        new_index.push_back(node.op == Op::form            ? value
                            : node.op == Op::form_negative ? against_zero(Op::less, false)
                            : node.op == Op::form_zero     ? against_zero(Op::equal, false)
                                                           : against_zero(Op::less_equal, true));
    }
    if (std::any_of(sources_.begin(), sources_.end(),
                    [](const Source& source) { return source.array < 0; })) {
        const Integer most = std::max({product.rows, product.columns, product.batch});
        iota_ = scalar_bytes_ == 4 ? iota_bytes<float>(most) : iota_bytes<double>(most);
    }
}

int LoweredExpression::push(Pointwise::Node node) {
    code_.nodes.push_back(std::move(node));
    return static_cast<int>(code_.nodes.size()) - 1;
}

int LoweredExpression::operand(int array, bool is_complex, std::vector<Integer> strides, bool is_transposed) {
    if (is_transposed) std::swap(strides[row_axis], strides[column_axis]);
    const gemm::Epilogue::Operand wanted{is_complex, strides[row_axis], strides[column_axis]};
    for (std::size_t k = 0; k < sources_.size(); ++k)
        if (sources_[k].array == array && sources_[k].batch_stride == strides[batch_axis] &&
            code_.operands[k] == wanted)
            return static_cast<int>(k);
    code_.operands.push_back(wanted);
    sources_.push_back({array, strides[batch_axis], scalar_bytes_ * (is_complex ? 2 : 1)});
    return static_cast<int>(sources_.size()) - 1;
}

/// constant + Σ stride·index, as a value.
int LoweredExpression::form(const loops::LayoutForm& form, bool is_transposed) {
    int sum = push({.op = Op::constant, .constant = static_cast<long double>(form.constant)});
    for (std::size_t axis = 0; axis < form.strides.size(); ++axis) {
        if (form.strides[axis] == 0) continue;
        std::vector<Integer> one(form.strides.size(), 0);
        one[axis] = 1;
        int term = push({.op = Op::array, .array = operand(-1, false, one, is_transposed)});
        if (form.strides[axis] != 1) {
            const int factor =
                push({.op = Op::constant, .constant = static_cast<long double>(form.strides[axis])});
            term = push({.op = Op::multiply, .operands = {factor, term}});
        }
        sum = push({.op = Op::add, .operands = {sum, term}});
    }
    return sum;
}

const void* LoweredExpression::operand_address(std::size_t operand, const void* const* arrays, Integer matrix,
                                               Integer row, Integer column) const {
    const Source& source = sources_[operand];
    const gemm::Epilogue::Operand& strides = code_.operands[operand];
    const Integer index =
        matrix * source.batch_stride + row * strides.row_stride + column * strides.column_stride;
    const void* const base = source.array < 0 ? iota_.data() : arrays[static_cast<std::size_t>(source.array)];
    return static_cast<const std::byte*>(base) + index * static_cast<Integer>(source.bytes);
}

} // namespace swirl::planning
