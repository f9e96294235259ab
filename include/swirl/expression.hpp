/// Load and store callbacks of transforms, and epilogues of matrix multiplications.
#pragma once

#include <swirl/export.h>
#include <swirl/data_type.hpp>
#include <swirl/kinds.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

struct ExpressionTree;

/// A function of one element x, of its indices, and of arrays that are given at execution. As text:
///
///     0.5 * x                                  x is the element loaded, or about to be stored
///     x * window[i]                            a real array along the transform, shared by the batch
///     x * s[]                                  a scalar, given as an array of one element
///     x * complex h[b, i]                      a complex array, one row for each transform of the batch
///     conj(x) - 2 * re(x) + im(x) * i / 1024   arithmetic; i is the index along the transform, b the transform's
///     i < 700 ? x : 0                          one of two values
///     x where i < 700                          elsewhere: not read, 0 is transformed; or not written
///     float16: x                               the data type in memory, if it is not the problem's
///     real: abs2(x)                            of a complex transform's results: an array of reals is stored, not of
///                                              complex elements; also `real float16: abs2(x)`
///
/// Indices: i, or i0, i1, … for several dimensions, slowest first; b, or b0, b1, … for several batch loops. Matrices
/// have i and j, row and column (swirl::MatrixProduct::epilogue).
/// Arrays are contiguous, row-major over the indices written; real unless `complex` precedes the name; in the problem's
/// precision unless a type precedes it: `complex float16 h[i]`.
/// Functions: re, im, conj, complex(re, im), abs2; of reals: min, max, abs, sqrt, exp, tanh, sigmoid, gelu.
/// Conditions: < <= > >= == != between reals, and, or, not; those after `where` use only indices, joined by `and`.
/// Division is by reals; by a constant it multiplies by the reciprocal. sigmoid(x) is 1/(1 + e^-x), gelu(x) is
/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). Errors in units in the last place: exp 1, tanh 1.5, sigmoid 2.5, gelu 3.5;
/// the other functions, and division, are correctly rounded. Where a transform stores complex elements, a real result
/// has imaginary component 0 unless `real` says that only real ones are stored.
/// Parsing and building throw UserError beyond the limits below, for an invalid name, and for a non-finite constant.
class SWIRL_API Expression {
public:
    static constexpr std::size_t most_terms = 1000; ///< constants, names, operators and functions
    static constexpr int deepest_nesting = 200;     ///< levels of brackets, functions, signs and choices
    static constexpr std::size_t longest_name = 64; ///< letters, digits and '_', not starting with a digit

    Expression() = default; ///< the identity: x
    /// Parses the text. SyntaxError shows what is wrong and where.
    explicit Expression(std::string_view text);

    bool is_identity() const { return tree_ == nullptr; }
    std::string text() const; ///< parses to an equal expression; empty for the identity
    friend bool operator==(const Expression& a, const Expression& b) { return a.text() == b.text(); }
    friend bool operator!=(const Expression& a, const Expression& b) { return !(a == b); }

    /// Builders of the same expressions.
    static Expression x();
    static Expression constant(double value);
    static Expression index(std::string name);
    static Expression array(std::string name, std::vector<std::string> indices);
    static Expression complex_array(std::string name, std::vector<std::string> indices);
    SWIRL_API friend Expression operator+(const Expression& a, const Expression& b);
    SWIRL_API friend Expression operator-(const Expression& a, const Expression& b);
    SWIRL_API friend Expression operator*(const Expression& a, const Expression& b);
    SWIRL_API friend Expression operator/(const Expression& a, const Expression& b);
    SWIRL_API friend Expression conj(const Expression& a);
    SWIRL_API friend Expression abs(const Expression& a);
    SWIRL_API friend Expression sqrt(const Expression& a);
    SWIRL_API friend Expression exp(const Expression& a);
    SWIRL_API friend Expression tanh(const Expression& a);
    SWIRL_API friend Expression sigmoid(const Expression& a);
    SWIRL_API friend Expression gelu(const Expression& a);
    SWIRL_API friend Expression min(const Expression& a, const Expression& b);
    SWIRL_API friend Expression max(const Expression& a, const Expression& b);
    /// a < b, for `choose` and `where`.
    static Expression less(const Expression& a, const Expression& b);
    static Expression choose(const Expression& condition, const Expression& a, const Expression& b);
    Expression where(const Expression& condition) const;
    Expression stored_as(DataType precision) const;
    Expression stored_as_real() const; ///< a store callback of complex results: see `real:` above
    bool is_stored_as_real() const;

    /// For the library's own use.
    explicit Expression(std::shared_ptr<const ExpressionTree> tree) : tree_(std::move(tree)) {}
    const ExpressionTree* tree() const { return tree_.get(); }

private:
    std::shared_ptr<const ExpressionTree> tree_;
};

} // namespace swirl
