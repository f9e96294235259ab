#include "problem/expression.hpp"
#include "problem/problem.hpp"

#include <algorithm>
#include <charconv>

namespace swirl {

std::optional<std::size_t> axis_of_index(const Problem& problem, std::string_view index) {
    if (index.empty() || (index[0] != 'i' && index[0] != 'b')) return std::nullopt;
    const bool is_batch = index[0] == 'b';
    const std::size_t count = is_batch ? problem.batches.size() : problem.dimensions.size();
    const std::size_t first = is_batch ? 0 : problem.batches.size();
    if (index.size() == 1) return count == 1 ? std::optional(first) : std::nullopt;
    std::size_t number = 0;
    const char* const end = index.data() + index.size();
    const auto [read, error] = std::from_chars(index.data() + 1, end, number);
    if (error != std::errc() || read != end || number >= count) return std::nullopt;
    return first + number;
}

Precision stored_precision(const Problem& problem, Side side) {
    const Expression& expression = expression_of(problem, side);
    const bool named = !expression.is_identity() && expression.tree()->stored;
    return named ? *expression.tree()->stored : problem.precision;
}

std::vector<IndexRange> touched_ranges(const Problem& problem, Side side) {
    std::vector<IndexRange> ranges;
    for (const Axis& axis : axes(problem, side)) ranges.push_back({0, axis.length});
    const Expression& expression = expression_of(problem, side);
    if (expression.is_identity()) return ranges;
    std::vector<IndexCondition> conditions;
    if (side == Side::input)
        conditions = needed_where(*expression.tree());
    else if (expression.tree()->where)
        conditions = index_conditions(expression.tree()->where).value_or(std::vector<IndexCondition>{});
    for (const IndexCondition& condition : conditions) {
        std::vector<std::pair<std::string, Integer>> terms(condition.form.coefficients.begin(),
                                                           condition.form.coefficients.end());
        std::erase_if(terms, [](const auto& term) { return term.second == 0; });
        if (terms.size() != 1) continue;
        const auto axis = axis_of_index(problem, terms[0].first);
        if (!axis) continue;
        IndexRange& range = ranges[*axis];
        const Integer c = terms[0].second, k = condition.form.constant; // of c·index + k
        const auto at_least = [&](Integer bound) { range.first = std::max(range.first, bound); };
        const auto below = [&](Integer bound) { range.end = std::min(range.end, bound); };
        switch (condition.relation) {
        case IndexCondition::Relation::negative:
            c > 0 ? below(ceil_divide(-k, c)) : at_least(floor_divide(-k, c) + 1);
            break;
        case IndexCondition::Relation::nonnegative:
            c > 0 ? at_least(ceil_divide(-k, c)) : below(floor_divide(-k, c) + 1);
            break;
        case IndexCondition::Relation::zero:
            at_least(ceil_divide(-k, c));
            below(floor_divide(-k, c) + 1);
            break;
        }
    }
    return ranges;
}

namespace {

void add_arrays(const Problem& problem, Side side, std::vector<ProblemArray>& arrays) {
    const Expression& expression = expression_of(problem, side);
    if (expression.is_identity()) return;
    const std::vector<Axis> all = axes(problem, side);
    for_each_term(expression.tree()->value, [&](const ExpressionNode& node) {
        if (node.kind != ExpressionNode::Kind::array) return;
        const bool known = std::any_of(arrays.begin(), arrays.end(),
                                       [&](const ProblemArray& array) { return array.name == node.name; });
        if (known) return;
        ProblemArray array{node.name, node.is_complex, node.stored.value_or(problem.precision), 1};
        for (const std::string& index : node.indices)
            if (const auto axis = axis_of_index(problem, index)) array.elements *= all[*axis].length;
        arrays.push_back(std::move(array));
    });
}

} // namespace

std::vector<ProblemArray> arrays_of(const Problem& problem) {
    std::vector<ProblemArray> arrays;
    if (problem.kind == TransformKind::convolution) {
        const Integer spectra = problem.spectrum == Sharing::each ? batch_count(problem) : 1;
        arrays.push_back({"spectrum", true, problem.precision, transform_size(problem) * spectra});
    }
    for (const Side side : {Side::input, Side::output}) add_arrays(problem, side, arrays);
    return arrays;
}

} // namespace swirl
