#include "problem/expression_scope.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

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
        if (misfit.find("\n") != std::string::npos) throw; // said already what and where
    }
    scope.reject(misfit, "compare and order reals only, and choose by conditions");
}

void check_names(const ExpressionTree& tree, const ExpressionScope& scope) {
    for (const ExpressionTerm& term : {tree.value, tree.where})
        for_each_term(term, [&](const ExpressionNode& node) { check_node(node, scope); });
}

void check_shapes(const ExpressionTree& tree, const ExpressionScope& scope,
                  std::map<std::string, std::string>& shapes) {
    for_each_term(tree.value, [&](const ExpressionNode& node) {
        if (node.kind != Kind::array) return;
        std::vector<std::size_t> axes;
        std::vector<Integer> lengths; // a half spectrum's is another than that of the reals
        for (const std::string& index : node.indices) {
            axes.push_back(*scope.axis_of(index));
            lengths.push_back(scope.lengths[axes.back()]);
        }
        const std::string shape = fmt::format("{} {} {} {}", node.is_complex,
                                              static_cast<int>(node.stored.value_or(scope.precision)),
                                              fmt::join(axes, ","), fmt::join(lengths, ","));
        const auto [known, is_new] = shapes.emplace(node.name, shape);
        if (!is_new && known->second != shape)
            scope.reject(fmt::format("array {} is used with different types, indices or lengths", node.name),
                         "write it the same way everywhere, 'complex' and a type included");
    });
}

void add_arrays(const ExpressionTree& tree, const ExpressionScope& scope, std::vector<ProblemArray>& arrays) {
    for_each_term(tree.value, [&](const ExpressionNode& node) {
        if (node.kind != Kind::array) return;
        const bool known = std::any_of(arrays.begin(), arrays.end(),
                                       [&](const ProblemArray& array) { return array.name == node.name; });
        if (known) return;
        ProblemArray array{node.name, node.is_complex, node.stored.value_or(scope.precision), 1};
        for (const std::string& index : node.indices)
            if (const auto axis = scope.axis_of(index)) array.elements *= scope.lengths[*axis];
        arrays.push_back(std::move(array));
    });
}

} // namespace swirl
