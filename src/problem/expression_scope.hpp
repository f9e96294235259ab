#pragma once

#include "problem/expression.hpp"
#include "problem/problem.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

/// What the names in an expression stand for.
struct ExpressionScope {
    std::vector<Integer> lengths; ///< of the axes that indices count along
    std::function<std::optional<std::size_t>(std::string_view index)> axis_of;
    std::string indices; ///< all there are, for people
    bool x_is_complex;
    Precision precision; ///< of arrays that are written without a type
    /// Throws UserError.
    std::function<void(const std::string& what, const std::string& remedy)> reject;
};

/// Of a side's expression, without the words for errors; while the problem is there.
ExpressionScope scope_of(const Problem& problem, Side side);

/// Rejects an expression whose result is a condition, or complex where x is real, and 'where' without a condition.
void check_types(const ExpressionTree& tree, const ExpressionScope& scope);
/// Rejects indices that there are not, or twice in an array, arrays named like something else, and conditions whose sums of
/// indices need not fit in 64 bits.
void check_names(const ExpressionTree& tree, const ExpressionScope& scope);
/// Rejects a name that stands for two arrays; `shapes` holds those that are known, and then the expression's too.
void check_shapes(const ExpressionTree& tree, const ExpressionScope& scope,
                  std::map<std::string, std::string>& shapes);

/// Appends the expression's arrays that are not there yet.
void add_arrays(const ExpressionTree& tree, const ExpressionScope& scope, std::vector<ProblemArray>& arrays);

/// The most arrays beside input and output.
constexpr std::size_t most_arrays = 8;

} // namespace swirl
