#include "problem/expression_at.hpp"

#include <algorithm>

namespace swirl {

ExpressionAt::ExpressionAt(const Transform& problem, Side side, Arrays arrays)
    : problem_(problem),
      side_(side),
      tree_(expression_of(problem, side).tree()),
      axes_(axes(problem, side)),
      known_(arrays_of(problem)),
      arrays_(std::move(arrays)) {}

ExpressionValues ExpressionAt::values_at(std::complex<double> x, const std::vector<Integer>& indices) const {
    const auto index = [this, indices](const std::string& name) {
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

bool ExpressionAt::touches(const std::vector<Integer>& indices) const {
    if (tree_ == nullptr) return true;
    const ExpressionValues values = values_at(0, indices);
    if (!holds(tree_->where, values)) return false;
    if (side_ == Side::output) return true;
    const auto conditions = needed_where(*tree_);
    return std::all_of(conditions.begin(), conditions.end(), [&](const IndexCondition& condition) {
        Integer form = condition.form.constant;
        for (const auto& [name, coefficient] : condition.form.coefficients)
            form += coefficient * values.index(name);
        switch (condition.relation) {
        case IndexCondition::Relation::negative: return form < 0;
        case IndexCondition::Relation::nonnegative: return form >= 0;
        case IndexCondition::Relation::zero: break;
        }
        return form == 0;
    });
}

std::complex<double> ExpressionAt::operator()(std::complex<double> x,
                                              const std::vector<Integer>& indices) const {
    if (tree_ == nullptr) return x;
    const ExpressionValues values = values_at(x, indices);
    if (side_ == Side::input && !holds(tree_->where, values)) return 0;
    return evaluate(tree_->value, values);
}

} // namespace swirl
