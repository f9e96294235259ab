/// Exceptions. Every error of the C++ interface is one of these, or std::bad_alloc.
#pragma once

#include <swirl/export.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace swirl {

namespace detail {
/// Formats the library's messages; complete only inside the library.
template <class... Args> struct Format;
} // namespace detail

/// The caller's mistake. The message names the argument, its value, and what would work. Nothing was written.
class SWIRL_API UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message) : std::runtime_error(message) {}

    /// For the library's own use.
    template <class... Args>
    explicit UserError(typename detail::Format<Args...>::String format, Args&&... args)
        : std::runtime_error(detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

/// A bug in swirl: a stage received or produced something that breaks its contract.
class SWIRL_API InternalError : public std::logic_error {
public:
    explicit InternalError(const std::string& message) : std::logic_error("internal error: " + message) {}

    /// For the library's own use.
    template <class... Args>
    explicit InternalError(typename detail::Format<Args...>::String format, Args&&... args)
        : std::logic_error("internal error: " +
                           detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

/// The text does not parse. what() shows the text, what was expected, and a caret at the position.
class SWIRL_API SyntaxError : public UserError {
public:
    SyntaxError(const std::string& expected, std::string_view text, std::size_t position);
    std::size_t position() const { return position_; } ///< in bytes from the start of the text

private:
    std::size_t position_;
};

} // namespace swirl
