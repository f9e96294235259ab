#pragma once

#include "plan/check/problem_data.hpp"
#include "plan/check/scope.hpp"
#include "plan/schedule.hpp"

#include <functional>
#include <string>

namespace swirl::planning {

/// Name of a plan in messages.
std::string name_of_plan(const Transform& problem, const Schedule& schedule);

/// Bytes that check_against_definition takes at least, besides the plan's workspace.
Integer check_bytes(const Transform& problem);

/// Runs a new plan once on random data and compares it with the transform's definition. One output is summed directly.
/// For each transform of the batch, Σ_k r^k·output k, with r a random point of the unit circle, must equal the same
/// functional of the input in closed form, so that every output counts (self-testing of linear functions: Ergün 1995).
/// Takes O(data) work. Watches all memory around and between the elements that the plan may write.
/// Throws InternalError, naming the plan, if the results differ; also naming the array and the byte if the plan writes
/// elsewhere or changes data that it only reads.
/// `execute` transforms the data passed to it. `interrupt`, unless empty, is called between blocks of the work and may
/// throw.
void check_against_definition(const Transform& problem, const std::string& plan,
                              const std::function<void(ProblemData&)>& execute,
                              const std::function<void()>& interrupt = {});
/// The same for a plan of this schedule.
void check_against_definition(const Transform& problem, const Schedule& schedule,
                              const std::function<void(ProblemData&)>& execute);

} // namespace swirl::planning
