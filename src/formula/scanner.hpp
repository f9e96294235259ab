#pragma once

#include "base/error.hpp"
#include "formula/formula.hpp"

#include <initializer_list>
#include <string_view>

namespace swirl::formula {

/// Reads tokens off a text; every failure is a UserError that shows the place.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    /// Position of the next token, in bytes.
    std::size_t position();
    bool at_end() { return position() == text_.size(); }
    bool at_letter();
    /// Consumes the token if it comes next. A word is not taken off the front of a longer one.
    bool accept(std::string_view token);
    /// Consumes one of several spellings of a token.
    bool accept_any(std::initializer_list<std::string_view> spellings);
    void expect(std::string_view token);
    /// Letters and digits, starting with a letter.
    std::string_view word();
    Integer integer();
    Integer positive_integer();
    Complex complex();
    /// i0, i1, …
    Variable variable();
    Affine affine();

    /// Runs a factory; what it finds wrong with shapes and values is the text's mistake, at `place`.
    template <class Build> auto built(std::size_t place, Build&& build) const {
        try {
            return build();
        } catch (const InternalError& error) {
            std::string_view message = error.what();
            message.remove_prefix(std::string_view("internal error: ").size());
            fail(place, message);
        }
    }

    [[noreturn]] void fail(std::size_t position, std::string_view message) const;
    [[noreturn]] void fail_expected(std::string_view what);

private:
    long double real();

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace swirl::formula
