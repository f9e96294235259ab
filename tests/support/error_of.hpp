#pragma once

#include <swirl/error.hpp>

#include <string>

namespace swirl {

/// The message of an action's error; empty if it throws none.
template <class Error = UserError, class Action> std::string error_of(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace swirl
