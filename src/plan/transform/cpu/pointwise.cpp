#include "plan/transform/cpu/pointwise.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

using loops::LayoutForm;
using loops::Pointwise;
using Kind = ExpressionNode::Kind;
using Op = Pointwise::Op;

class Translation {
public:
    Translation(const ExpressionScope& scope, const std::vector<AuxiliaryArray>& arrays)
        : scope_(scope), arrays_(arrays) {}

    Pointwise of(const ExpressionTree& tree) {
        add(tree.value);
        return std::move(result_);
    }
    /// Includes the ranges that the expression touches on a side of the problem.
    Pointwise of(const ExpressionTree& tree, const Transform& problem, Side side) {
        add(tree.value);
        if (tree.where) append(result_.where, index_conditions(tree.where).value());
        if (side == Side::input) append(result_.needed, needed_where(tree));
        if (!result_.where.empty() || !result_.needed.empty())
            result_.safe = form(safe_element(problem, side));
        return std::move(result_);
    }

private:
    static LayoutForm safe_element(const Transform& problem, Side side) {
        const std::vector<Axis> all = axes(problem, side);
        LayoutForm element{std::vector<Integer>(all.size(), 0), 0};
        const auto ranges = touched_ranges(problem, side);
        for (std::size_t k = 0; k < all.size(); ++k)
            if (ranges[k].first == 0 && ranges[k].end == all[k].length)
                element.strides[k] = all[k].stride;
            else
                element.constant += ranges[k].first * all[k].stride;
        return element;
    }

    int push(Pointwise::Node node) {
        result_.nodes.push_back(std::move(node));
        return static_cast<int>(result_.nodes.size()) - 1;
    }
    int push(Op op, std::vector<int> operands) {
        return push({.op = op, .constant = 0, .form = 0, .array = 0, .operands = std::move(operands)});
    }

    int form(LayoutForm form) {
        const auto at = std::find(result_.forms.begin(), result_.forms.end(), form);
        if (at != result_.forms.end()) return static_cast<int>(at - result_.forms.begin());
        result_.forms.push_back(std::move(form));
        return static_cast<int>(result_.forms.size()) - 1;
    }

    int form(const IndexForm& of) {
        LayoutForm layout_form{std::vector<Integer>(scope_.lengths.size(), 0), of.constant};
        for (const auto& [name, coefficient] : of.coefficients)
            layout_form.strides[scope_.axis_of(name).value()] += coefficient;
        return form(std::move(layout_form));
    }

    static Op op_of(IndexCondition::Relation relation) {
        switch (relation) {
        case IndexCondition::Relation::negative: return Op::form_negative;
        case IndexCondition::Relation::nonnegative: return Op::form_nonnegative;
        case IndexCondition::Relation::zero: return Op::form_zero;
        }
        throw InternalError("unknown relation");
    }

    void append(std::vector<Pointwise::Condition>& list, const std::vector<IndexCondition>& conditions) {
        for (const IndexCondition& condition : conditions)
            list.push_back({op_of(condition.relation), form(condition.form)});
    }

    int array(const ExpressionNode& node) {
        LayoutForm layout_form{std::vector<Integer>(scope_.lengths.size(), 0), 0};
        Integer stride = 1;
        for (std::size_t k = node.indices.size(); k-- > 0;) {
            const std::size_t axis = scope_.axis_of(node.indices[k]).value();
            layout_form.strides[axis] = stride;
            stride *= scope_.lengths[axis];
        }
        const auto at = std::find_if(arrays_.begin(), arrays_.end(),
                                     [&](const AuxiliaryArray& known) { return known.name == node.name; });
        return push({.op = Op::array,
                     .constant = 0,
                     .form = form(std::move(layout_form)),
                     .array = static_cast<int>(at - arrays_.begin()),
                     .operands = {}});
    }

    int add(const ExpressionTerm& term) {
        if (const auto condition = index_condition(term))
            return push({.op = op_of(condition->relation),
                         .constant = 0,
                         .form = form(condition->form),
                         .array = 0,
                         .operands = {}});
        if (term->kind == Kind::constant)
            return push(
                {.op = Op::constant, .constant = term->constant, .form = 0, .array = 0, .operands = {}});
        if (term->kind == Kind::index)
            return push(
                {.op = Op::form, .constant = 0, .form = form(*index_form(term)), .array = 0, .operands = {}});
        if (term->kind == Kind::array) return array(*term);
        std::vector<int> operands;
        for (const ExpressionTerm& operand : term->operands) operands.push_back(add(operand));
        switch (term->kind) {
        case Kind::x: return push(Op::x, {});
        case Kind::add: return push(Op::add, operands);
        case Kind::subtract: return push(Op::subtract, operands);
        case Kind::multiply: return push(Op::multiply, operands);
        case Kind::divide: return push(Op::divide, operands);
        case Kind::abs: return push(Op::magnitude, operands);
        case Kind::sqrt: return push(Op::square_root, operands);
        case Kind::exp: return push(Op::exponential, operands);
        case Kind::tanh: return push(Op::tangent, operands);
        case Kind::sigmoid: return push(Op::sigmoid, operands);
        case Kind::gelu: return push(Op::gelu, operands);
        case Kind::negate: return push(Op::negate, operands);
        case Kind::conj: return push(Op::conj, operands);
        case Kind::re: return push(Op::re, operands);
        case Kind::im: return push(Op::im, operands);
        case Kind::complex: return push(Op::complex, operands);
        case Kind::less: return push(Op::less, operands);
        case Kind::less_equal: return push(Op::less_equal, operands);
        case Kind::equal: return push(Op::equal, operands);
        case Kind::both: return push(Op::both, operands);
        case Kind::either: return push(Op::either, operands);
        case Kind::opposite: return push(Op::opposite, operands);
        case Kind::choose: return push(Op::choose, operands);
        case Kind::min:
        case Kind::max: {
            const int first_below = push(Op::less, operands);
            const bool min = term->kind == Kind::min;
            return push(Op::choose, {first_below, operands[min ? 0 : 1], operands[min ? 1 : 0]});
        }
        case Kind::abs2: {
            const int re = push(Op::re, operands), im = push(Op::im, operands);
            return push(Op::add, {push(Op::multiply, {re, re}), push(Op::multiply, {im, im})});
        }
        case Kind::constant:
        case Kind::index:
        case Kind::array: break;
        }
        throw InternalError("unknown kind of expression");
    }

    const ExpressionScope& scope_;
    const std::vector<AuxiliaryArray>& arrays_;
    Pointwise result_;
};

} // namespace

loops::Pointwise pointwise_of(const Transform& problem, Side side) {
    return Translation(scope_of(problem, side), arrays_of(problem))
        .of(*expression_of(problem, side).tree(), problem, side);
}

loops::Pointwise pointwise_of(const ExpressionTree& tree, const ExpressionScope& scope,
                              const std::vector<AuxiliaryArray>& arrays) {
    return Translation(scope, arrays).of(tree);
}

std::vector<lower::AuxiliaryArray> auxiliary_buffers(const Transform& problem) {
    std::vector<lower::AuxiliaryArray> result;
    for (const AuxiliaryArray& array : arrays_of(problem))
        result.push_back({array.name, array.is_complex, array.elements});
    return result;
}

} // namespace swirl::planning
