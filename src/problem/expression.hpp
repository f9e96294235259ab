#pragma once

#include <swirl/expression.hpp>

#include "base/integer.hpp"

#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

struct ExpressionNode;
using ExpressionTerm = std::shared_ptr<const ExpressionNode>;

struct ExpressionNode {
    enum class Kind : std::uint8_t {
        constant,
        x,
        index, ///< `name`
        array, ///< `name`, `indices`, `is_complex`, `stored`
        add,
        subtract,
        multiply,
        divide, ///< by a real
        negate,
        conj,
        re,
        im,
        complex, ///< of two reals
        abs2,
        min,
        max,
        abs, ///< of reals, like all below
        sqrt,
        exp,
        tanh,
        sigmoid,
        gelu,
        less, ///< result is boolean from here on, except `choose`
        less_equal,
        equal,
        both,
        either,
        opposite,
        choose, ///< of a boolean and two values
    };
    Kind kind;
    double constant = 0;
    std::string name = {};
    std::vector<std::string> indices = {};
    bool is_complex = false;
    std::optional<DataType> stored = {};
    std::vector<ExpressionTerm> operands = {};
    std::size_t terms = 1; ///< operands included; set by term_of
    int nesting = 0;       ///< levels of brackets, functions, signs and choices in its text; set by term_of
};

/// Creates a term; the only way to do so. Throws UserError if the node has too many terms, nests too deeply
/// (Expression's limits), or has a name or a constant that no text can express. So every term can be traversed
/// recursively, printed and parsed again.
ExpressionTerm term_of(ExpressionNode node);
ExpressionTerm term_of(ExpressionNode::Kind kind, std::vector<ExpressionTerm> operands);
/// a / b; for a constant b, a times its reciprocal.
ExpressionTerm quotient_of(const ExpressionTerm& a, const ExpressionTerm& b);

struct ExpressionTree {
    ExpressionTerm value;
    ExpressionTerm where = {}; ///< null: everywhere
    std::optional<DataType> stored = {};
    bool real = false; ///< complex results become reals in memory
};

enum class ExpressionType : std::uint8_t { boolean, real, complex };

/// Type of a term; throws UserError, naming the term, if operand types do not fit.
ExpressionType type_of(const ExpressionTerm& term, bool x_is_complex);

/// Σ coefficient·index + constant with integers.
struct IndexForm {
    std::map<std::string, Integer> coefficients;
    Integer constant = 0;
};
std::optional<IndexForm> index_form(const ExpressionTerm& term);

/// A condition on indices: `form` < 0, ≥ 0 or = 0.
struct IndexCondition {
    enum class Relation : std::uint8_t { negative, nonnegative, zero };
    IndexForm form;
    Relation relation;
};
/// Empty unless the term is a comparison of index forms.
std::optional<IndexCondition> index_condition(const ExpressionTerm& term);
/// The conditions that must all hold; empty if one of them is not a comparison of index forms.
std::optional<std::vector<IndexCondition>> index_conditions(const ExpressionTerm& term);

/// Where x is needed at all: the conditions of `where`, and of outermost choices whose other value does not use x.
std::vector<IndexCondition> needed_where(const ExpressionTree& tree);

void for_each_term(const ExpressionTerm& term, const std::function<void(const ExpressionNode&)>& f);

std::string to_text(const ExpressionTerm& term);

/// Values for evaluating an expression.
struct ExpressionValues {
    std::complex<double> x;
    std::function<Integer(const std::string& index)> index;
    std::function<std::complex<double>(const ExpressionNode& array)> array;
};
/// Reference evaluation in double. Booleans are 0 and 1.
std::complex<double> evaluate(const ExpressionTerm& term, const ExpressionValues& values);

/// Parses an expression inside a longer text, from `begin` to `end`; errors show the whole text.
Expression parse_expression(std::string_view text, std::size_t begin, std::size_t end);

} // namespace swirl
