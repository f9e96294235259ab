#include "problem/expression.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <cmath>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

ExpressionTerm term_of(Kind kind, std::vector<ExpressionTerm> operands) {
    ExpressionNode node{.kind = kind};
    node.operands = std::move(operands);
    return std::make_shared<const ExpressionNode>(std::move(node));
}

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
    return expression_of(std::make_shared<const ExpressionNode>(std::move(node)));
}

const char* word_of(Precision precision) {
    switch (precision) {
    case Precision::float64: return "float64";
    case Precision::float32: return "float32";
    case Precision::float16: return "float16";
    case Precision::bfloat16: return "bfloat16";
    }
    return "";
}

/// How tightly an operator holds its operands.
int strength_of(Kind kind) {
    switch (kind) {
    case Kind::choose: return 0;
    case Kind::either: return 1;
    case Kind::both: return 2;
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal: return 3;
    case Kind::add:
    case Kind::subtract: return 4;
    case Kind::multiply:
    case Kind::divide: return 5;
    case Kind::negate:
    case Kind::opposite: return 6;
    default: return 7;
    }
}

std::string operand(const ExpressionTerm& term, int least) {
    const std::string text = to_text(term);
    const bool negative = term->kind == Kind::number && std::signbit(term->number);
    return strength_of(term->kind) < least || (negative && least > 4) ? "(" + text + ")" : text;
}

std::string text_of_array(const ExpressionNode& node) {
    return fmt::format("{}{}{}[{}]", node.is_complex ? "complex " : "",
                       node.stored ? fmt::format("{} ", word_of(*node.stored)) : "", node.name,
                       fmt::join(node.indices, ", "));
}

} // namespace

std::string to_text(const ExpressionTerm& term) {
    const auto& operands = term->operands;
    const int strength = strength_of(term->kind);
    const auto binary = [&](const char* sign) {
        return operand(operands[0], strength) + sign + operand(operands[1], strength + 1);
    };
    const auto call = [&](const char* name) {
        std::string text = to_text(operands[0]);
        for (std::size_t k = 1; k < operands.size(); ++k) text += ", " + to_text(operands[k]);
        return fmt::format("{}({})", name, text);
    };
    switch (term->kind) {
    case Kind::number: return fmt::format("{}", term->number);
    case Kind::x: return "x";
    case Kind::index: return term->name;
    case Kind::array: return text_of_array(*term);
    case Kind::add: return binary(" + ");
    case Kind::subtract: return binary(" - ");
    case Kind::multiply: return binary(" * ");
    case Kind::divide: return binary(" / ");
    case Kind::negate: return "-" + operand(operands[0], strength + 1);
    case Kind::opposite: return "not " + operand(operands[0], strength);
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
    case Kind::less: return operand(operands[0], 4) + " < " + operand(operands[1], 4);
    case Kind::less_equal: return operand(operands[0], 4) + " <= " + operand(operands[1], 4);
    case Kind::equal: return operand(operands[0], 4) + " == " + operand(operands[1], 4);
    case Kind::both: return binary(" and ");
    case Kind::either: return binary(" or ");
    case Kind::choose:
        return operand(operands[0], 1) + " ? " + to_text(operands[1]) + " : " + to_text(operands[2]);
    }
    throw InternalError("unknown kind of expression");
}

Expression::Expression(std::string_view text) : Expression(parse_expression(text, 0, text.size())) {}

std::string Expression::text() const {
    if (is_identity()) return "";
    return fmt::format("{}{}{}", tree_->stored ? fmt::format("{}: ", word_of(*tree_->stored)) : "",
                       to_text(tree_->value), tree_->where ? " where " + to_text(tree_->where) : "");
}

Expression Expression::x() { return expression_of(term_of(Kind::x, {})); }

Expression Expression::number(double value) {
    return expression_of(
        std::make_shared<const ExpressionNode>(ExpressionNode{.kind = Kind::number, .number = value}));
}

Expression Expression::index(std::string name) {
    ExpressionNode node{.kind = Kind::index};
    node.name = std::move(name);
    return expression_of(std::make_shared<const ExpressionNode>(std::move(node)));
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
Expression operator/(const Expression& a, const Expression& b) { return combined(Kind::divide, {a, b}); }
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

Expression Expression::stored_as(Precision precision) const {
    ExpressionTree tree{value_of(*this)};
    if (tree_) tree = *tree_;
    tree.stored = precision;
    return Expression(std::make_shared<const ExpressionTree>(std::move(tree)));
}

} // namespace swirl
