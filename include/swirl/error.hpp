/// Exceptions. Every error of the C++ interface is an Error, or std::bad_alloc.
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

/// The common base. what() names the argument, its value, and what would work. Nothing was written.
class SWIRL_API Error : public std::runtime_error {
public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}

    /// For the library's own use.
    template <class... Args>
    explicit Error(typename detail::Format<Args...>::String format, Args&&... args)
        : std::runtime_error(detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

/// The caller's mistake: an argument, a problem or a schedule that cannot be.
class SWIRL_API UserError : public Error {
public:
    using Error::Error;
};

/// The text does not parse. what() shows the text, what was expected, and a caret at the position.
class SWIRL_API SyntaxError : public UserError {
public:
    SyntaxError(const std::string& expected, std::string_view text, std::size_t position);
    std::size_t position() const { return position_; } ///< in bytes from the start of the text

private:
    std::size_t position_;
};

/// This machine lacks what was asked for: a GPU, its driver, a CPU's instructions.
class SWIRL_API Unavailable : public Error {
public:
    using Error::Error;
};

/// A valid request that this version of swirl does not implement.
class SWIRL_API Unsupported : public Error {
public:
    using Error::Error;
};

/// The GPU or the host does not have enough free memory.
class SWIRL_API OutOfMemory : public Error {
public:
    using Error::Error;
};

/// Planning would take longer than Options::planning_limit_seconds.
class SWIRL_API OutOfTime : public Error {
public:
    using Error::Error;
};

/// Options::cancelled returned true.
class SWIRL_API Cancelled : public Error {
public:
    using Error::Error;
};

/// The operating system or the GPU's driver refused a request.
class SWIRL_API SystemError : public Error {
public:
    using Error::Error;
};

/// A bug in swirl: a stage received or produced something that breaks its contract.
class SWIRL_API InternalError : public Error {
public:
    explicit InternalError(const std::string& message) : Error("internal error: " + message) {}

    /// For the library's own use.
    template <class... Args>
    explicit InternalError(typename detail::Format<Args...>::String format, Args&&... args)
        : Error("internal error: " + detail::Format<Args...>::apply(format, std::forward<Args>(args)...)) {}
};

} // namespace swirl
