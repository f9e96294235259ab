#pragma once

#include "base/error.hpp"
#include "formula/formula.hpp"

#include <initializer_list>
#include <string_view>

namespace swirl::formula {

/// What is wrong with a formula's text, and where.
class ParseError : public UserError {
public:
    ParseError(const std::string& message, std::string_view reason, std::size_t position)
        : UserError(message), reason_(reason), position_(position) {}
    const std::string& reason() const { return reason_; } ///< without position and text
    std::size_t position() const { return position_; }    ///< in bytes

private:
    std::string reason_;
    std::size_t position_;
};

/// Reads tokens from a text; every failure is a ParseError.
class Scanner {
public:
    explicit Scanner(std::string_view text, std::size_t begin = 0) : text_(text), at_(begin) {}

    /// Position of the next token, in bytes.
    std::size_t position();
    bool at_end() { return position() == text_.size(); }
    bool at_letter();
    /// Consumes the token if it comes next. A word does not match a prefix of a longer word.
    bool accept(std::string_view token);
    /// Consumes the next token if it is one of several spellings.
    bool accept_any(std::initializer_list<std::string_view> spellings);
    void expect(std::string_view token);
    /// Letters and digits, starting with a letter.
    std::string_view word();
    Integer integer();
    /// 1024 or 2^10.
    Integer positive_integer();
    Complex complex();
    /// 0.25 or 1/4.
    long double fraction();
    /// i0, i1, …
    Variable variable();
    Affine affine();

    /// Calls a factory; reports its errors about shapes and values as errors of the text at `position`.
    template <class Build> auto built(std::size_t position, Build&& build) const {
        try {
            return build();
        } catch (const InternalError& error) {
            std::string_view message = error.what();
            message.remove_prefix(std::string_view("internal error: ").size());
            fail(position, message);
        }
    }

    [[noreturn]] void fail(std::size_t position, std::string_view message) const;
    [[noreturn]] void fail_expected(std::string_view what);

private:
    long double real();

    std::string_view text_;
    std::size_t at_;
};

} // namespace swirl::formula
