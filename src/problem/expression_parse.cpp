#include "problem/expression.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace swirl {

namespace {

using Kind = ExpressionNode::Kind;

/// Maximum depth of calls for nested constructs, the outermost included. Bounds the recursion before any term exists.
constexpr int deepest = Expression::deepest_nesting + 1;

class ExpressionParser {
public:
    ExpressionParser(std::string_view text, std::size_t begin, std::size_t end)
        : text_(text), position_(begin), end_(end) {}

    Expression all() {
        ExpressionTree tree;
        read_storage(tree);
        tree.value = choice();
        if (accept_word("where")) tree.where = choice();
        skip_spaces();
        if (position_ < end_) fail("an operator, 'where', or the end of the expression");
        return Expression(std::make_shared<const ExpressionTree>(std::move(tree)));
    }

private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw SyntaxError(expected, text_, position_);
    }

    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    void skip_spaces() {
        while (position_ < end_ && is_space(text_[position_])) ++position_;
    }
    std::string_view next_word() {
        skip_spaces();
        std::size_t end = position_;
        while (end < end_ && (is_letter(text_[end]) || (end > position_ && is_digit(text_[end])))) ++end;
        return text_.substr(position_, end - position_);
    }
    bool accept_word(std::string_view word) {
        if (next_word() != word) return false;
        position_ += word.size();
        return true;
    }
    bool accept(std::string_view sign) {
        skip_spaces();
        if (text_.substr(position_, std::min(sign.size(), end_ - position_)) != sign) return false;
        position_ += sign.size();
        return true;
    }
    void expect(std::string_view sign) {
        if (!accept(sign)) fail("'" + std::string(sign) + "'");
    }

    /// "float16:", "real:", "real float16:", if the expression begins with one.
    void read_storage(ExpressionTree& tree) {
        const std::size_t start = position_;
        const bool real = accept_word("real");
        const auto precision = transform_type_named(next_word());
        if (precision) position_ += next_word().size();
        if ((real || precision) && accept(":")) {
            tree.real = real;
            tree.stored = precision;
        } else {
            position_ = start; // an array of this type, or of this name
        }
    }

    /// Reports a term that cannot be built as an error in the text up to here.
    template <class Make> ExpressionTerm made(Make&& make) const {
        try {
            return make();
        } catch (const UserError& error) {
            const std::string_view message = error.what();
            const std::size_t line = message.find('\n');
            fail(fmt::format("no {}; {}", message.substr(0, line), message.substr(line + 3)));
        }
    }
    ExpressionTerm node(Kind kind, std::vector<ExpressionTerm> operands) const {
        return made([&] { return term_of(kind, std::move(operands)); });
    }
    ExpressionTerm node(ExpressionNode result) const {
        return made([&] { return term_of(std::move(result)); });
    }

    void descend() {
        if (++depth_ > deepest)
            fail(fmt::format("at most {} levels of brackets, functions, signs and choices",
                             Expression::deepest_nesting));
    }

    ExpressionTerm choice() {
        descend();
        ExpressionTerm first = disjunction();
        if (accept("?")) {
            ExpressionTerm yes = choice();
            expect(":");
            first = node(Kind::choose, {first, yes, choice()});
        }
        --depth_;
        return first;
    }
    ExpressionTerm disjunction() {
        ExpressionTerm term = conjunction();
        while (accept_word("or") || accept("||")) term = node(Kind::either, {term, conjunction()});
        return term;
    }
    ExpressionTerm conjunction() {
        ExpressionTerm term = denial();
        while (accept_word("and") || accept("&&")) term = node(Kind::both, {term, denial()});
        return term;
    }
    ExpressionTerm denial() {
        if (!accept_word("not")) return comparison();
        descend();
        ExpressionTerm term = node(Kind::opposite, {denial()});
        --depth_;
        return term;
    }
    ExpressionTerm comparison() {
        ExpressionTerm a = sum();
        if (accept("<=")) return node(Kind::less_equal, {a, sum()});
        if (accept(">=")) return node(Kind::less_equal, {sum(), a});
        if (accept("==")) return node(Kind::equal, {a, sum()});
        if (accept("!=")) return node(Kind::opposite, {node(Kind::equal, {a, sum()})});
        if (accept("<")) return node(Kind::less, {a, sum()});
        if (accept(">")) return node(Kind::less, {sum(), a});
        return a;
    }
    ExpressionTerm sum() {
        ExpressionTerm term = quotient();
        for (;;) {
            if (accept("+"))
                term = node(Kind::add, {term, quotient()});
            else if (accept("-"))
                term = node(Kind::subtract, {term, quotient()});
            else
                return term;
        }
    }
    ExpressionTerm quotient() {
        ExpressionTerm term = factor();
        for (;;) {
            if (accept("*")) {
                term = node(Kind::multiply, {term, factor()});
            } else if (accept("/")) {
                const ExpressionTerm by = factor();
                term = made([&] { return quotient_of(term, by); });
            } else {
                return term;
            }
        }
    }
    ExpressionTerm factor() {
        if (!accept("-")) return primary();
        descend();
        ExpressionTerm term = factor();
        --depth_;
        return term->kind == Kind::constant ? constant(-term->constant) : node(Kind::negate, {term});
    }

    ExpressionTerm constant(double value) const { return node({.kind = Kind::constant, .constant = value}); }
    double number(const std::string& expected) {
        double value = 0;
        const char* const begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + end_, value);
        if (error == std::errc::result_out_of_range) fail("a number within the range of float64");
        if (error != std::errc()) fail(expected);
        position_ += static_cast<std::size_t>(end - begin);
        return value;
    }

    ExpressionTerm primary() {
        skip_spaces();
        if (accept("(")) {
            ExpressionTerm term = choice();
            expect(")");
            return term;
        }
        if (position_ < end_ && (is_digit(text_[position_]) || text_[position_] == '.'))
            return constant(number("a number"));
        const std::string_view word = next_word();
        if (word.empty()) fail("a number, x, an index such as i, an array such as w[i], a function, or '('");
        position_ += word.size();
        if (word == "x") return node(Kind::x, {});
        if (const auto function = function_named(word); function && accept("(")) return call(*function);
        return named(word);
    }

    struct Function {
        Kind kind;
        int operands;
    };
    static std::optional<Function> function_named(std::string_view word) {
        constexpr std::pair<std::string_view, Function> functions[] = {
            {"re", {Kind::re, 1}},           {"im", {Kind::im, 1}},     {"conj", {Kind::conj, 1}},
            {"complex", {Kind::complex, 2}}, {"abs2", {Kind::abs2, 1}}, {"min", {Kind::min, 2}},
            {"max", {Kind::max, 2}},         {"abs", {Kind::abs, 1}},   {"sqrt", {Kind::sqrt, 1}},
            {"exp", {Kind::exp, 1}},         {"tanh", {Kind::tanh, 1}}, {"sigmoid", {Kind::sigmoid, 1}},
            {"gelu", {Kind::gelu, 1}},
        };
        for (const auto& [name, function] : functions)
            if (word == name) return function;
        return std::nullopt;
    }
    ExpressionTerm call(Function function) {
        std::vector<ExpressionTerm> operands = {choice()};
        for (int k = 1; k < function.operands; ++k) {
            expect(",");
            operands.push_back(choice());
        }
        expect(")");
        return node(function.kind, std::move(operands));
    }

    /// An index, or an array with the modifiers before its name.
    ExpressionTerm named(std::string_view word) {
        ExpressionNode result{.kind = Kind::index};
        bool has_type = false;
        if (word == "complex") {
            result.is_complex = has_type = true;
            word = next_word();
            position_ += word.size();
        }
        if (const auto precision = transform_type_named(word)) {
            result.stored = precision;
            has_type = true;
            word = next_word();
            position_ += word.size();
        }
        if (word.empty()) fail("the name of an array");
        result.name = std::string(word);
        if (!accept("[")) {
            if (has_type) fail("'[' and the array's indices");
            return node(std::move(result));
        }
        result.kind = Kind::array;
        if (accept("]")) return node(std::move(result)); // a scalar
        do {
            const std::string_view index = next_word();
            if (index.empty()) fail("an index, such as i");
            position_ += index.size();
            result.indices.emplace_back(index);
        } while (accept(","));
        expect("]");
        return node(std::move(result));
    }

    std::string_view text_;
    std::size_t position_;
    std::size_t end_;
    int depth_ = 0;
};

} // namespace

Expression parse_expression(std::string_view text, std::size_t begin, std::size_t end) {
    return ExpressionParser(text, begin, end).all();
}

} // namespace swirl
