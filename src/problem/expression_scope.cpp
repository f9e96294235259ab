#include "problem/expression_scope.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/data_type.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

/// Maximum elements of an array: its bytes fit in 61 bits.
constexpr Integer most_elements = Integer{1} << 57;
/// Bound on sums of indices in conditions: exact in float64 and in 64 bits.
constexpr Integer largest_form = Integer{1} << 53;

/// The largest magnitude of a sum of indices; empty if it exceeds largest_form.
std::optional<Integer> reach_of(const IndexForm& form, const ExpressionScope& scope) {
    std::optional<Integer> reach = form.constant < 0 ? -form.constant : form.constant;
    for (const auto& [name, coefficient] : form.coefficients) {
        const auto axis = scope.axis_of(name);
        const Integer length = axis ? scope.lengths[*axis] : 0;
        const auto along = checked_multiply(coefficient < 0 ? -coefficient : coefficient, length);
        reach = along ? checked_add(*reach, *along) : std::nullopt;
        if (!reach || *reach > largest_form) return std::nullopt;
    }
    return *reach <= largest_form ? reach : std::nullopt;
}

void check_index(const std::string& name, const ExpressionScope& scope) {
    if (!scope.axis_of(name))
        scope.reject(fmt::format("there is no index {}", name),
                     fmt::format("indices of this problem: {}; arrays are written with theirs, as in w[i]",
                                 scope.indices));
}

void check_node(const ExpressionNode& node, const ExpressionScope& scope) {
    if (node.kind == Kind::index) check_index(node.name, scope);
    if (node.kind != Kind::array) return;
    std::set<std::size_t> seen;
    for (const std::string& index : node.indices) {
        check_index(index, scope);
        if (!seen.insert(*scope.axis_of(index)).second)
            scope.reject(fmt::format("array {} has index {} twice", node.name, index),
                         "name each index once");
    }
    constexpr std::string_view reserved[] = {"x",       "re",   "im",  "conj",     "complex", "abs2",
                                             "min",     "max",  "abs", "sqrt",     "exp",     "tanh",
                                             "sigmoid", "gelu", "and", "or",       "not",     "where",
                                             "float16", "in",   "out", "bfloat16", "float32", "float64"};
    if (std::find(std::begin(reserved), std::end(reserved), node.name) != std::end(reserved))
        scope.reject(fmt::format("an array is named {}", node.name), "use another name");
}

/// Checks one comparison of indices.
void check_reach(const ExpressionNode& node, const ExpressionScope& scope) {
    if (node.kind != Kind::less && node.kind != Kind::less_equal && node.kind != Kind::equal) return;
    const auto condition = index_condition(term_of(node));
    if (condition && !reach_of(condition->form, scope))
        scope.reject("a condition's sum of indices exceeds 2^53", "use smaller factors of indices");
}

} // namespace

void check_types(const ExpressionTree& tree, const ExpressionScope& scope) {
    std::string misfit;
    try {
        const ExpressionType type = type_of(tree.value, scope.x_is_complex);
        const bool has_condition =
            !tree.where || type_of(tree.where, scope.x_is_complex) == ExpressionType::boolean;
        if (type != ExpressionType::boolean && (type != ExpressionType::complex || scope.x_is_complex) &&
            has_condition)
            return;
        if (type == ExpressionType::boolean) scope.reject("the result is a condition", "choose: c ? x : 0");
        if (type == ExpressionType::complex && !scope.x_is_complex)
            scope.reject("the result is complex", "the side has reals: use re(…) or im(…)");
        scope.reject("there is no condition after 'where'", "compare an index, as in: where i < 100");
    } catch (const UserError& error) {
        misfit = error.what();
        if (misfit.find("\n") != std::string::npos) throw; // the message is already complete
    }
    scope.reject(misfit, "compare and order reals only, and choose by conditions");
}

void check_names(const ExpressionTree& tree, const ExpressionScope& scope) {
    for (const ExpressionTerm& term : {tree.value, tree.where})
        for_each_term(term, [&](const ExpressionNode& node) {
            check_node(node, scope);
            check_reach(node, scope);
        });
}

void check_shapes(const ExpressionTree& tree, const ExpressionScope& scope,
                  std::map<std::string, std::string>& shapes) {
    for_each_term(tree.value, [&](const ExpressionNode& node) {
        if (node.kind != Kind::array) return;
        std::vector<std::size_t> axes;
        std::vector<Integer> lengths; // a half spectrum's length differs from that of the reals
        for (const std::string& index : node.indices) {
            axes.push_back(*scope.axis_of(index));
            lengths.push_back(scope.lengths[axes.back()]);
        }
        const std::string shape =
            fmt::format("{} {} {} {}", node.is_complex, name_of(node.stored.value_or(scope.precision)),
                        fmt::join(axes, ","), fmt::join(lengths, ","));
        const auto [known, is_new] = shapes.emplace(node.name, shape);
        if (!is_new && known->second != shape)
            scope.reject(fmt::format("array {} is used with different types, indices or lengths", node.name),
                         "write it the same way everywhere, 'complex' and a type included");
    });
}

void add_arrays(const ExpressionTree& tree, const ExpressionScope& scope,
                std::vector<AuxiliaryArray>& arrays) {
    for_each_term(tree.value, [&](const ExpressionNode& node) {
        if (node.kind != Kind::array) return;
        const bool known = std::any_of(arrays.begin(), arrays.end(),
                                       [&](const AuxiliaryArray& array) { return array.name == node.name; });
        if (known) return;
        AuxiliaryArray array{node.name, node.is_complex, node.stored.value_or(scope.precision), 1};
        for (const std::string& index : node.indices)
            if (const auto axis = scope.axis_of(index)) {
                const auto more = checked_multiply(array.elements, scope.lengths[*axis]);
                if (!more || *more > most_elements)
                    throw UserError(
                        "array {} has more than {} elements\n  use fewer indices, or shorter dimensions",
                        array.name, most_elements);
                array.elements = *more;
            }
        arrays.push_back(std::move(array));
    });
}

} // namespace swirl
