/// What is done to each number that a transform reads, or is about to write, or a product of matrices.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

struct ExpressionTree;

/// A function of one number x, of where it lies, and of arrays that are given at execution; as text
///
///     0.5 * x                                  x is the number that was read, or is to be written
///     x * window[i]                            an array of reals along the transform, one for all of a batch
///     x * s[]                                  a single number, given as such an array
///     x * complex h[b, i]                      an array of complex numbers, for each transform its own
///     conj(x) - 2 * re(x) + im(x) * i / 1024   arithmetic; i counts along the transform, b transforms
///     i < 700 ? x : 0                          one of two values
///     x where i < 700                          elsewhere nothing is read, and transformed is 0, or nothing is written
///     float16: x                               the type of what lies in memory, if it is not the problem's
///
/// Indices: i, or i0, i1, … of several dimensions, the slowest first; b, or b0, b1, … of several loops of a batch. Those of a
/// matrix are i and j, its rows and columns (swirl::MatrixProduct::epilogue). An array
/// is contiguous, row-major over the indices that it is written with, of reals unless `complex` stands before it, in the
/// problem's precision unless a type does: `complex float16 h[i]`. Functions: re, im, conj, complex(re, im), abs2; of
/// reals min, max, abs, sqrt, exp, tanh, sigmoid, gelu. Conditions: < <= > >= == != between reals, and, or, not; those after `where` are of indices alone, joined by `and`.
/// Division is by reals; by a number it is a product with its reciprocal. sigmoid(x) is 1/(1 + e^-x), gelu(x) is
/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). Errors of functions in units in the last place: 1 of exp, 1.5 of tanh, 2.5 of sigmoid,
/// 3.5 of gelu; the other ones, and division, are correctly rounded. Where a transform writes complex numbers a real result has the imaginary part 0.
/// Beyond the limits below, and where a name is no word or a number not finite, reading and building throw UserError.
class SWIRL_API Expression {
public:
    static constexpr std::size_t most_terms = 1000; ///< numbers, names, operators and functions
    static constexpr int deepest_nesting = 200;     ///< levels of brackets, functions, signs and choices
    static constexpr std::size_t longest_name = 64; ///< letters, digits and '_', no digit first

    Expression() = default; ///< x as it is
    /// SyntaxError shows what is wrong where.
    explicit Expression(std::string_view text);

    bool is_identity() const { return tree_ == nullptr; }
    std::string text() const; ///< that reads as the same expression; empty for the identity
    bool operator==(const Expression& other) const { return text() == other.text(); }

    /// The same, built.
    static Expression x();
    static Expression number(double value);
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
    Expression stored_as(Precision precision) const;

    /// For the library.
    explicit Expression(std::shared_ptr<const ExpressionTree> tree) : tree_(std::move(tree)) {}
    const ExpressionTree* tree() const { return tree_.get(); }

private:
    std::shared_ptr<const ExpressionTree> tree_;
};

} // namespace swirl
