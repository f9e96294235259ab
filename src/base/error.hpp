#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace swirl {

/// A mistake in what the caller asked for: names the argument, its value, and what would work.
/// Thrown before anything is written.
class UserError : public std::runtime_error {
public:
    explicit UserError(const std::string& message) : std::runtime_error(message) {}

    template <class... Args>
    explicit UserError(fmt::format_string<Args...> format, Args&&... args)
        : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A mistake of ours: a stage received or produced something that breaks its own contract.
class InternalError : public std::logic_error {
public:
    explicit InternalError(const std::string& message) : std::logic_error("internal error: " + message) {}

    template <class... Args>
    explicit InternalError(fmt::format_string<Args...> format, Args&&... args)
        : std::logic_error("internal error: " + fmt::format(format, std::forward<Args>(args)...)) {}
};

/// Throws InternalError unless `holds`; for contracts between stages, not for user input.
template <class... Args> void ensure(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) throw InternalError(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace swirl
