#pragma once

#include <fmt/format.h>
#include <swirl/error.hpp>

#include <string>
#include <utility>

namespace swirl {

/// Inside the library, errors take a format string that the compiler checks.
template <class... Args> struct detail::Format {
    using String = fmt::format_string<Args...>;
    template <class... Given> static std::string apply(String format, Given&&... args) {
        return fmt::format(format, std::forward<Given>(args)...);
    }
};

/// Throws InternalError unless `holds`; for contracts between stages of the library, not for user input.
template <class... Args> void ensure(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) throw InternalError(fmt::format(format, std::forward<Args>(args)...));
}

} // namespace swirl
