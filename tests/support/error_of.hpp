#pragma once

#include <swirl/error.hpp>

#include <string>

namespace swirl {

/// The message of an action's error; empty if it throws none.
template <class Kind = Error, class Action> std::string error_of(Action&& action) {
    try {
        action();
    } catch (const Kind& error) {
        return error.what();
    }
    return "";
}

} // namespace swirl
