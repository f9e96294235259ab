#include "problem/expression_at.hpp"

#include <algorithm>

namespace swirl {

ExpressionAt::ExpressionAt(const Transform& problem, Side side, Arrays arrays)
    : problem_(problem),
      side_(side),
      tree_(expression_of(problem, side).tree()),
      axes_(axes(problem, side)),
      known_(arrays_of(problem)),
      arrays_(std::move(arrays)) {
    if (tree_ == nullptr) return;
    if (tree_->where) where_ = along_axes(index_conditions(tree_->where).value());
    touched_ = side_ == Side::input ? along_axes(needed_where(*tree_)) : where_;
}

bool ExpressionAt::Condition::holds_at(const std::vector<Integer>& indices) const {
    Integer form = constant;
    for (const auto& [axis, coefficient] : coefficients) form += coefficient * indices[axis];
    switch (relation) {
    case IndexCondition::Relation::negative: return form < 0;
    case IndexCondition::Relation::nonnegative: return form >= 0;
    case IndexCondition::Relation::zero: break;
    }
    return form == 0;
}

std::vector<ExpressionAt::Condition> ExpressionAt::along_axes(
    const std::vector<IndexCondition>& conditions) const {
    std::vector<Condition> result;
    for (const IndexCondition& condition : conditions) {
        Condition& own = result.emplace_back(Condition{{}, condition.form.constant, condition.relation});
        for (const auto& [name, coefficient] : condition.form.coefficients)
            own.coefficients.emplace_back(axis_of_index(problem_, name).value(), coefficient);
    }
    return result;
}

bool ExpressionAt::hold_at(const std::vector<Condition>& conditions, const std::vector<Integer>& indices) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& condition) { return condition.holds_at(indices); });
}

/// For use while `indices` lives.
ExpressionValues ExpressionAt::values_at(std::complex<double> x, const std::vector<Integer>& indices) const {
    const auto index = [this, &indices](const std::string& name) {
        return indices[axis_of_index(problem_, name).value()];
    };
    const auto array = [this, index](const ExpressionNode& node) {
        Integer element = 0;
        for (const std::string& name : node.indices)
            element = element * axes_[axis_of_index(problem_, name).value()].length + index(name);
        const auto at = std::find_if(known_.begin(), known_.end(),
                                     [&](const AuxiliaryArray& known) { return known.name == node.name; });
        return arrays_(static_cast<std::size_t>(at - known_.begin()), element);
    };
    return {x, index, array};
}

bool ExpressionAt::touches(const std::vector<Integer>& indices) const { return hold_at(touched_, indices); }

std::complex<double> ExpressionAt::operator()(std::complex<double> x,
                                              const std::vector<Integer>& indices) const {
    if (tree_ == nullptr) return x;
    if (side_ == Side::input && !hold_at(where_, indices)) return 0;
    if (tree_->value->kind == ExpressionNode::Kind::x) return x;
    return evaluate(tree_->value, values_at(x, indices));
}

} // namespace swirl
