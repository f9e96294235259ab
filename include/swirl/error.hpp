/// What swirl throws. std::bad_alloc aside, every error of the C++ interface is one of these.
#pragma once

#include <swirl/export.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace swirl {

namespace detail {
/// How the library formats its messages; complete inside the library only.
template <class... Args> struct Format;
} // namespace detail

/// A mistake in what the caller asked for: names the argument, its value, and what would work.
/// Thrown before anything is written.
class SWIRL_API UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message) : std::runtime_error(message) {}

    /// For the library.
    template <class... Args>
    explicit UserError(typename detail::Format<Args...>::String format, Args&&... args)
        : std::runtime_error(detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

/// A mistake of swirl: a stage received or produced something that breaks its own contract.
class SWIRL_API InternalError : public std::logic_error {
public:
    explicit InternalError(const std::string& message) : std::logic_error("internal error: " + message) {}

    /// For the library.
    template <class... Args>
    explicit InternalError(typename detail::Format<Args...>::String format, Args&&... args)
        : std::logic_error("internal error: " +
                           detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

/// Where a text stops being a problem, and what was expected there; what() shows both, with a caret.
class SWIRL_API SyntaxError : public UserError {
public:
    SyntaxError(const std::string& expected, std::string_view text, std::size_t position);
    std::size_t position() const { return position_; } ///< in bytes from the start of the text

private:
    std::size_t position_;
};

} // namespace swirl
