#include "problem/expression.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

ExpressionTerm value_of(const Expression& expression) {
    return expression.is_identity() ? term_of(Kind::x, {}) : expression.tree()->value;
}

Expression expression_of(ExpressionTerm term) {
    return Expression(std::make_shared<const ExpressionTree>(ExpressionTree{std::move(term)}));
}

Expression combined(Kind kind, std::initializer_list<Expression> operands) {
    std::vector<ExpressionTerm> terms;
    for (const Expression& operand : operands) terms.push_back(value_of(operand));
    return expression_of(term_of(kind, std::move(terms)));
}

Expression array_of(std::string name, std::vector<std::string> indices, bool is_complex) {
    ExpressionNode node{.kind = Kind::array};
    node.name = std::move(name);
    node.indices = std::move(indices);
    node.is_complex = is_complex;
    return expression_of(term_of(std::move(node)));
}

/// Operator precedence.
int strength_of(Kind kind) {
    switch (kind) {
    case Kind::choose: return 0;
    case Kind::either: return 1;
    case Kind::both: return 2;
    case Kind::opposite: return 3;
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal: return 4;
    case Kind::add:
    case Kind::subtract: return 5;
    case Kind::multiply:
    case Kind::divide: return 6;
    case Kind::negate: return 7;
    default: return 8;
    }
}

bool is_negative_number(const ExpressionNode& node) {
    return node.kind == Kind::constant && std::signbit(node.constant);
}

/// Minimum precedence at which operand `k` of the node needs no brackets; 0 if it never needs any.
int least_strength(const ExpressionNode& node, std::size_t k) {
    const int own = strength_of(node.kind);
    switch (node.kind) {
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
    case Kind::divide:
    case Kind::both:
    case Kind::either: return own + static_cast<int>(k);
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal: return own + 1;
    case Kind::negate: return own + 1;
    case Kind::opposite: return node.operands[k]->kind == Kind::opposite ? own : strength_of(Kind::negate);
    case Kind::choose: return k == 0 ? strength_of(Kind::either) : 0;
    default: return 0; // inside the brackets of a function
    }
}

bool has_brackets(const ExpressionNode& node, std::size_t k) {
    const ExpressionNode& operand = *node.operands[k];
    const int least = least_strength(node, k);
    return strength_of(operand.kind) < least ||
           (is_negative_number(operand) && least > strength_of(Kind::add));
}

/// Nesting level of operand `k`, as seen from outside the node.
int nesting_of(const ExpressionNode& node, std::size_t k) {
    const bool is_binary = least_strength(node, k) > 0 &&
                           strength_of(node.kind) < strength_of(Kind::negate) && node.kind != Kind::opposite;
    return node.operands[k]->nesting + (has_brackets(node, k) ? 1 : 0) + (is_binary ? 0 : 1);
}

bool is_word(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && !is_digit(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_digit(c) || is_letter(c); });
}

void check_name(std::string_view name) {
    constexpr std::string_view keywords[] = {"x",     "complex", "and",     "or",      "not",
                                             "where", "float16", "float32", "float64", "bfloat16"};
    if (name.size() > Expression::longest_name)
        throw UserError("an expression has a name of {} characters, {}…\n  names have at most {}",
                        name.size(), name.substr(0, 16), Expression::longest_name);
    if (!is_word(name))
        throw UserError("'{}' in an expression is not a name\n  use letters, digits and '_', no digit first",
                        name);
    if (std::find(std::begin(keywords), std::end(keywords), name) != std::end(keywords))
        throw UserError("'{}' is a reserved word in expressions\n  use another name", name);
}

std::string operand(const ExpressionTerm& term, std::size_t k) {
    const std::string text = to_text(term->operands[k]);
    return has_brackets(*term, k) ? "(" + text + ")" : text;
}

std::string text_of_array(const ExpressionNode& node) {
    return fmt::format("{}{}{}[{}]", node.is_complex ? "complex " : "",
                       node.stored ? fmt::format("{} ", name_of(*node.stored)) : "", node.name,
                       fmt::join(node.indices, ", "));
}

} // namespace

ExpressionTerm term_of(ExpressionNode node) {
    if (node.kind == Kind::constant && !std::isfinite(node.constant))
        throw UserError("an expression has the constant {}\n  use finite constants", node.constant);
    if (node.kind == Kind::index || node.kind == Kind::array) check_name(node.name);
    for (const std::string& index : node.indices) check_name(index);
    node.terms = 1;
    node.nesting = is_negative_number(node) ? 1 : 0;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
        node.terms += node.operands[k]->terms;
        node.nesting = std::max(node.nesting, nesting_of(node, k));
    }
    if (node.terms > Expression::most_terms)
        throw UserError(
            "an expression has {} constants, names, operators and functions\n  use at most {}; compute the "
            "rest "
            "be done to the arrays before or after",
            node.terms, Expression::most_terms);
    if (node.nesting > Expression::deepest_nesting)
        throw UserError(
            "an expression whose brackets, functions, signs and choices nest {} levels deep\n  use at most "
            "{}",
            node.nesting, Expression::deepest_nesting);
    return std::make_shared<const ExpressionNode>(std::move(node));
}

ExpressionTerm term_of(Kind kind, std::vector<ExpressionTerm> operands) {
    ExpressionNode node{.kind = kind};
    node.operands = std::move(operands);
    return term_of(std::move(node));
}

ExpressionTerm quotient_of(const ExpressionTerm& a, const ExpressionTerm& b) {
    if (b->kind != Kind::constant) return term_of(Kind::divide, {a, b});
    if (a->kind == Kind::constant)
        return term_of({.kind = Kind::constant, .constant = a->constant / b->constant});
    return term_of(Kind::multiply, {a, term_of({.kind = Kind::constant, .constant = 1 / b->constant})});
}

std::string to_text(const ExpressionTerm& term) {
    const auto& operands = term->operands;
    const auto binary = [&](const char* sign) { return operand(term, 0) + sign + operand(term, 1); };
    const auto call = [&](const char* name) {
        std::string text = to_text(operands[0]);
        for (std::size_t k = 1; k < operands.size(); ++k) text += ", " + to_text(operands[k]);
        return fmt::format("{}({})", name, text);
    };
    switch (term->kind) {
    case Kind::constant: return fmt::format("{}", term->constant);
    case Kind::x: return "x";
    case Kind::index: return term->name;
    case Kind::array: return text_of_array(*term);
    case Kind::add: return binary(" + ");
    case Kind::subtract: return binary(" - ");
    case Kind::multiply: return binary(" * ");
    case Kind::divide: return binary(" / ");
    case Kind::negate: return "-" + operand(term, 0);
    case Kind::opposite: return "not " + operand(term, 0);
    case Kind::conj: return call("conj");
    case Kind::re: return call("re");
    case Kind::im: return call("im");
    case Kind::complex: return call("complex");
    case Kind::abs2: return call("abs2");
    case Kind::min: return call("min");
    case Kind::max: return call("max");
    case Kind::abs: return call("abs");
    case Kind::sqrt: return call("sqrt");
    case Kind::exp: return call("exp");
    case Kind::tanh: return call("tanh");
    case Kind::sigmoid: return call("sigmoid");
    case Kind::gelu: return call("gelu");
    case Kind::less: return binary(" < ");
    case Kind::less_equal: return binary(" <= ");
    case Kind::equal: return binary(" == ");
    case Kind::both: return binary(" and ");
    case Kind::either: return binary(" or ");
    case Kind::choose: return operand(term, 0) + " ? " + operand(term, 1) + " : " + operand(term, 2);
    }
    throw InternalError("unknown kind of expression");
}

Expression::Expression(std::string_view text) : Expression(parse_expression(text, 0, text.size())) {}

std::string Expression::text() const {
    if (is_identity()) return "";
    std::string storage = tree_->real ? "real" : "";
    if (tree_->stored) storage += fmt::format("{}{}", tree_->real ? " " : "", name_of(*tree_->stored));
    return fmt::format("{}{}{}{}", storage, storage.empty() ? "" : ": ", to_text(tree_->value),
                       tree_->where ? " where " + to_text(tree_->where) : "");
}

Expression Expression::x() { return expression_of(term_of(Kind::x, {})); }

Expression Expression::constant(double value) {
    return expression_of(term_of({.kind = Kind::constant, .constant = value}));
}

Expression Expression::index(std::string name) {
    ExpressionNode node{.kind = Kind::index};
    node.name = std::move(name);
    return expression_of(term_of(std::move(node)));
}

Expression Expression::array(std::string name, std::vector<std::string> indices) {
    return array_of(std::move(name), std::move(indices), false);
}
Expression Expression::complex_array(std::string name, std::vector<std::string> indices) {
    return array_of(std::move(name), std::move(indices), true);
}

Expression operator+(const Expression& a, const Expression& b) { return combined(Kind::add, {a, b}); }
Expression operator-(const Expression& a, const Expression& b) { return combined(Kind::subtract, {a, b}); }
Expression operator*(const Expression& a, const Expression& b) { return combined(Kind::multiply, {a, b}); }
Expression operator/(const Expression& a, const Expression& b) {
    return expression_of(quotient_of(value_of(a), value_of(b)));
}
Expression conj(const Expression& a) { return combined(Kind::conj, {a}); }
Expression abs(const Expression& a) { return combined(Kind::abs, {a}); }
Expression sqrt(const Expression& a) { return combined(Kind::sqrt, {a}); }
Expression exp(const Expression& a) { return combined(Kind::exp, {a}); }
Expression tanh(const Expression& a) { return combined(Kind::tanh, {a}); }
Expression sigmoid(const Expression& a) { return combined(Kind::sigmoid, {a}); }
Expression gelu(const Expression& a) { return combined(Kind::gelu, {a}); }
Expression min(const Expression& a, const Expression& b) { return combined(Kind::min, {a, b}); }
Expression max(const Expression& a, const Expression& b) { return combined(Kind::max, {a, b}); }
Expression Expression::less(const Expression& a, const Expression& b) { return combined(Kind::less, {a, b}); }
Expression Expression::choose(const Expression& condition, const Expression& a, const Expression& b) {
    return combined(Kind::choose, {condition, a, b});
}

Expression Expression::where(const Expression& condition) const {
    ExpressionTree tree{value_of(*this)};
    if (tree_) tree = *tree_;
    const ExpressionTerm more = value_of(condition);
    tree.where = tree.where ? term_of(Kind::both, {tree.where, more}) : more;
    return Expression(std::make_shared<const ExpressionTree>(std::move(tree)));
}

Expression Expression::stored_as(DataType precision) const {
    if (!is_transform_type(precision))
        throw UserError(
            "an expression has the data type {}; transforms store float64, float32, "
            "float16 or bfloat16",
            name_of(precision));
    ExpressionTree tree{value_of(*this)};
    if (tree_) tree = *tree_;
    tree.stored = precision;
    return Expression(std::make_shared<const ExpressionTree>(std::move(tree)));
}

bool Expression::is_stored_as_real() const { return tree_ != nullptr && tree_->real; }

Expression Expression::stored_as_real() const {
    ExpressionTree tree{value_of(*this)};
    if (tree_) tree = *tree_;
    tree.real = true;
    return Expression(std::make_shared<const ExpressionTree>(std::move(tree)));
}

} // namespace swirl
