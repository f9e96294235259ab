#include "problem/expression.hpp"
#include "problem/expression_scope.hpp"
#include "problem/problem.hpp"

#include <algorithm>
#include <charconv>

namespace swirl {

std::optional<std::size_t> axis_of_index(const Transform& problem, std::string_view index) {
    if (index.empty() || (index[0] != 'i' && index[0] != 'b')) return std::nullopt;
    const bool is_batch = index[0] == 'b';
    const std::size_t count = is_batch ? problem.batches.size() : problem.dimensions.size();
    const std::size_t first = is_batch ? 0 : problem.batches.size();
    if (index.size() == 1) return count == 1 ? std::optional(first) : std::nullopt;
    std::size_t position = 0;
    const char* const end = index.data() + index.size();
    const auto [read, error] = std::from_chars(index.data() + 1, end, position);
    if (error != std::errc() || read != end || position >= count) return std::nullopt;
    return first + position;
}

bool depends_on_batch(const Transform& problem) {
    bool depends = problem.spectrum == Sharing::each;
    const auto look = [&](const std::string& index) {
        const auto axis = axis_of_index(problem, index);
        depends = depends || (axis && *axis < problem.batches.size());
    };
    for (const Expression* expression : {&problem.load, &problem.store}) {
        if (expression->is_identity()) continue;
        for (const ExpressionTerm& term : {expression->tree()->value, expression->tree()->where})
            for_each_term(term, [&](const ExpressionNode& node) {
                if (node.kind == ExpressionNode::Kind::index) look(node.name);
                for (const std::string& index : node.indices) look(index);
            });
    }
    return depends;
}

DataType stored_precision(const Transform& problem, Side side) {
    const Expression& expression = expression_of(problem, side);
    const bool named = !expression.is_identity() && expression.tree()->stored;
    return named ? *expression.tree()->stored : problem.precision;
}

namespace {

/// For each of `axes`, the indices at which those conditions may hold that are on one index alone.
std::vector<IndexRange> ranges_at(const Transform& problem, Side side,
                                  const std::vector<IndexCondition>& conditions) {
    std::vector<IndexRange> ranges;
    for (const Axis& axis : axes(problem, side)) ranges.push_back({0, axis.length});
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
            c > 0 ? below(ceil_divide(-k, c)) : at_least(floor_divide(k, -c) + 1);
            break;
        case IndexCondition::Relation::nonnegative:
            c > 0 ? at_least(ceil_divide(-k, c)) : below(floor_divide(k, -c) + 1);
            break;
        case IndexCondition::Relation::zero:
            at_least(c > 0 ? ceil_divide(-k, c) : ceil_divide(k, -c));
            below((c > 0 ? floor_divide(-k, c) : floor_divide(k, -c)) + 1);
            break;
        }
    }
    return ranges;
}

} // namespace

std::vector<IndexRange> ranges_where(const Transform& problem, Side side) {
    const Expression& expression = expression_of(problem, side);
    const bool has_where = !expression.is_identity() && expression.tree()->where;
    return ranges_at(problem, side,
                     has_where
                         ? index_conditions(expression.tree()->where).value_or(std::vector<IndexCondition>{})
                         : std::vector<IndexCondition>{});
}

std::vector<IndexRange> touched_ranges(const Transform& problem, Side side) {
    const Expression& expression = expression_of(problem, side);
    if (side == Side::output || expression.is_identity()) return ranges_where(problem, side);
    return ranges_at(problem, side, needed_where(*expression.tree()));
}

ExpressionScope scope_of(const Transform& problem, Side side) {
    ExpressionScope scope{.lengths = {},
                          .axis_of = [&](std::string_view index) { return axis_of_index(problem, index); },
                          .indices = {},
                          .x_is_complex = has_complex_elements(problem, side),
                          .precision = problem.precision,
                          .reject = {}};
    for (const Axis& axis : axes(problem, side)) scope.lengths.push_back(axis.length);
    return scope;
}

std::vector<AuxiliaryArray> arrays_of(const Transform& problem) {
    std::vector<AuxiliaryArray> arrays;
    if (is_convolution(problem)) {
        Integer entries = problem.spectrum == Sharing::each ? batch_count(problem) : 1;
        for (const Integer length : spectrum_lengths(problem)) entries *= length;
        arrays.push_back({"spectrum", true, problem.precision, entries});
    }
    for (const Side side : {Side::input, Side::output})
        if (const ExpressionTree* tree = expression_of(problem, side).tree())
            add_arrays(*tree, scope_of(problem, side), arrays);
    return arrays;
}

} // namespace swirl
