#pragma once

#include <swirl/problem.hpp>
#include "plan/schedule.hpp"

#include <string_view>

namespace swirl {

/// The schedule of a transform from its text.
inline planning::Schedule transform_schedule(std::string_view text) {
    return planning::parse_schedule(text, Transform());
}

} // namespace swirl
