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

/// Meaning of the names in an expression.
struct ExpressionScope {
    std::vector<Integer> lengths; ///< of the axes of the indices
    std::function<std::optional<std::size_t>(std::string_view index)> axis_of;
    std::string indices; ///< all valid indices, for messages
    bool x_is_complex;
    DataType precision; ///< of arrays without an explicit type
    /// Throws UserError.
    std::function<void(const std::string& what, const std::string& remedy)> reject;
};

/// Scope of a side's expression, without error wording; valid while the problem lives.
ExpressionScope scope_of(const Transform& problem, Side side);

/// Rejects an expression whose result is a condition, or complex where x is real, and a 'where' that is no condition.
void check_types(const ExpressionTree& tree, const ExpressionScope& scope);
/// Rejects unknown indices, an index twice in one array, arrays named like something else, and conditions whose sums of
/// indices may not fit in 64 bits.
void check_names(const ExpressionTree& tree, const ExpressionScope& scope);
/// Rejects a name used for two different arrays. `shapes` holds the arrays known so far; the expression's are added.
void check_shapes(const ExpressionTree& tree, const ExpressionScope& scope,
                  std::map<std::string, std::string>& shapes);

/// Appends the expression's arrays that are not in `arrays` yet.
void add_arrays(const ExpressionTree& tree, const ExpressionScope& scope,
                std::vector<AuxiliaryArray>& arrays);

/// Maximum number of auxiliary arrays.
constexpr std::size_t max_arrays = 8;

} // namespace swirl
