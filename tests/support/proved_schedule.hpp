#pragma once

#include "plan/check/transform.hpp"
#include "problem/syntax.hpp"
#include "support/interpreted_plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::support {

/// Fails the test if the interpreted plan is not the transform.
inline void prove(const std::string& text, const planning::Schedule& schedule) {
    const Transform problem = swirl::problem(text);
    SCOPED_TRACE(text + ": " + to_string(schedule));
    InterpretedPlan plan(problem, schedule);
    EXPECT_NO_THROW(planning::check_against_definition(
        problem, schedule, [&](planning::ProblemData& data) { plan.execute(data.arguments()); }));
}

} // namespace swirl::support
