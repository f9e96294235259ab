#include "rules/rule.hpp"

#include <charconv>

namespace swirl::rules {

namespace {

constexpr std::string_view codelet_word = "codelet";

/// Bounds the recursion of every tree traversal; trees of transforms that fit in memory are far flatter.
constexpr int deepest = 64;

bool is_codelet(const BreakdownTree& tree) { return tree == BreakdownTree{}; }

/// tree = "codelet" | name ["(" integer {"," integer} ")"] ["[" tree {"," tree} "]"]; spaces between tokens.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    BreakdownTree whole() {
        BreakdownTree result = tree();
        skip_spaces();
        if (at_ != text_.size()) fail("the end");
        return result;
    }

private:
    BreakdownTree tree() {
        if (depth_ == deepest) fail(fmt::format("at most {} rules inside each other", deepest));
        ++depth_;
        BreakdownTree result = node();
        --depth_;
        return result;
    }

    BreakdownTree node() {
        BreakdownTree result;
        result.rule = std::string(name());
        if (result.rule == codelet_word) return {};
        if (accept('(')) do
                result.choice.push_back(integer());
            while (separator(')'));
        if (accept('[')) do
                result.children.push_back(tree());
            while (separator(']'));
        while (!result.children.empty() && is_codelet(result.children.back())) result.children.pop_back();
        return result;
    }

    std::string_view name() {
        skip_spaces();
        const std::size_t start = at_;
        const auto in_name = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        };
        while (at_ < text_.size() && in_name(text_[at_])) ++at_;
        if (at_ == start) fail("the name of a rule or \"codelet\"");
        return text_.substr(start, at_ - start);
    }

    Integer integer() {
        skip_spaces();
        Integer value = 0;
        const char* first = text_.data() + at_;
        const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
        if (error != std::errc()) fail("an integer");
        at_ += static_cast<std::size_t>(end - first);
        return value;
    }

    /// After a list element: true at a comma, false at the closing bracket.
    bool separator(char close) {
        if (accept(',')) return true;
        if (accept(close)) return false;
        fail(fmt::format("\",\" or \"{}\"", close));
    }

    bool accept(char c) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    }

    [[noreturn]] void fail(std::string_view expected) const {
        throw UserError("breakdown tree \"{}\", at character {}: expected {}", text_, at_ + 1, expected);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

std::string to_string(const BreakdownTree& tree) {
    if (tree.rule.empty()) return std::string(codelet_word);
    std::string text = tree.rule;
    if (!tree.choice.empty()) text += fmt::format("({})", fmt::join(tree.choice, ","));
    std::size_t shown = tree.children.size();
    while (shown > 0 && is_codelet(tree.children[shown - 1])) --shown;
    for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "[" : ", ") + to_string(tree.children[i]);
    if (shown > 0) text += "]";
    return text;
}

BreakdownTree parse_tree(std::string_view text) { return Parser(text).whole(); }

} // namespace swirl::rules
