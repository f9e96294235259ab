#include "formula/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace swirl::formula {

namespace {

// <cctype> depends on the locale
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
/// UTF-8 continuation bytes have the form 10xxxxxx.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

} // namespace

std::size_t Scanner::position() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_;
}

bool Scanner::at_letter() { return position() < text_.size() && is_letter(text_[at_]); }

bool Scanner::accept(std::string_view token) {
    const std::size_t begin = position(), end = begin + token.size();
    if (text_.substr(begin, token.size()) != token) return false;
    if (is_word(token.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
}

bool Scanner::accept_any(std::initializer_list<std::string_view> spellings) {
    return std::any_of(spellings.begin(), spellings.end(),
                       [&](std::string_view token) { return accept(token); });
}

void Scanner::expect(std::string_view token) {
    if (!accept(token)) fail_expected(fmt::format("'{}'", token));
}

std::string_view Scanner::word() {
    const std::size_t begin = position();
    if (begin == text_.size() || !is_letter(text_[begin])) return {};
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
}

Integer Scanner::integer() {
    const std::size_t begin = position();
    Integer value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(begin, "this number does not fit 64 bits");
    if (error != std::errc()) fail_expected("an integer");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
}

Integer Scanner::positive_integer() {
    const std::size_t begin = position();
    const Integer base = integer();
    if (base < 1) fail(begin, "expected a number of at least 1");
    if (!accept("^")) return base;
    const Integer exponent = integer();
    if (exponent < 0) fail(begin, "expected a number of at least 1");
    Integer value = 1;
    for (Integer i = 0; i < exponent && base > 1; ++i) {
        const auto next = checked_multiply(value, base);
        if (!next) fail(begin, "this number does not fit 64 bits");
        value = *next;
    }
    return value;
}

long double Scanner::real() {
    const std::size_t begin = position();
    long double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || (error == std::errc() && !std::isfinite(value)))
        fail(begin, "this number is not a finite long double");
    if (error != std::errc()) fail_expected("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
}

long double Scanner::fraction() {
    const long double numerator = real();
    if (!accept("/")) return numerator;
    const std::size_t begin = position();
    const long double denominator = real();
    if (denominator == 0) fail(begin, "the denominator is 0");
    return numerator / denominator;
}

// 1.5, -2i, 1.5-2i; no space inside a number
Complex Scanner::complex() {
    const auto next = [&](char c) { return at_ < text_.size() && text_[at_] == c; };
    const auto accept_unit = [&] {
        const bool is_unit = next('i') && (at_ + 1 == text_.size() || !is_word(text_[at_ + 1]));
        at_ += is_unit ? 1 : 0;
        return is_unit;
    };
    const long double first = real();
    if (accept_unit()) return {0, first};
    const bool plus =
        next('+') && at_ + 1 < text_.size() && (is_digit(text_[at_ + 1]) || text_[at_ + 1] == '.');
    if (!plus && !next('-')) return first;
    if (plus) ++at_;
    const long double second = real();
    if (!accept_unit()) fail_expected("'i' after an imaginary part");
    return {first, second};
}

Variable Scanner::variable() {
    const std::size_t begin = position();
    const std::string_view name = word();
    Variable value = 0;
    if (name.size() > 1 && name[0] == 'i') {
        const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), value);
        if (error == std::errc() && end == name.data() + name.size()) return value;
    }
    at_ = begin;
    fail_expected("a variable i0, i1, …");
}

Affine Scanner::affine() {
    Affine form;
    for (bool is_first = true;; is_first = false) {
        Integer sign = 1;
        if (accept("-"))
            sign = -1;
        else if (!is_first && !accept("+"))
            return form;
        position();
        if (at_ < text_.size() && is_digit(text_[at_])) {
            const Integer number = integer();
            form += accept("*") ? Affine::of(variable(), sign * number) : Affine(sign * number);
        } else {
            form += Affine::of(variable(), sign);
        }
    }
}

void Scanner::fail(std::size_t position, std::string_view message) const {
    const auto column =
        std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position), starts_character);
    // A long formula is shown from a few characters before the position on.
    constexpr std::size_t before = 40, shown = 76;
    std::size_t begin = position > before ? position - before : 0,
                end = std::min(text_.size(), begin + shown);
    while (begin > 0 && !starts_character(text_[begin])) --begin;
    while (end < text_.size() && !starts_character(text_[end])) ++end;
    std::string line(text_.substr(begin, end - begin));
    std::replace_if(line.begin(), line.end(), is_space, ' ');
    const auto indent =
        std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                      text_.begin() + static_cast<std::ptrdiff_t>(position), starts_character);
    throw ParseError(
        fmt::format("formula, character {}: {}\n  {}\n  {:>{}}", column + 1, message, line, "^", indent + 1),
        message, position);
}

void Scanner::fail_expected(std::string_view what) {
    const std::size_t begin = position();
    std::size_t end = begin + 1;
    if (begin == text_.size()) fail(begin, fmt::format("expected {}, but the formula ends here", what));
    if (is_word(text_[begin]))
        while (end < text_.size() && is_word(text_[end])) ++end;
    else
        while (end < text_.size() && !starts_character(text_[end])) ++end;
    fail(begin, fmt::format("expected {}, not '{}'", what, text_.substr(begin, end - begin)));
}

} // namespace swirl::formula
