#pragma once

#include "distributed/chunked_program.hpp"
#include "distributed/schedule.hpp"

#include <swirl/distributed/plan.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace swirl::distributed {

/// A schedule and the seconds that the model predicts.
struct Chosen {
    Schedule schedule;
    double seconds;
};

/// The ranks' machine, and what they use in place of messages.
struct Model {
    Machine machine = {};
    SharedArrays shared = SharedArrays::none;
};

/// So many schedules of least time by the model, or as many as there are, the fastest first; the same for the same arguments. Without
/// an output, the last stage has the boxes that are best. Boxes are those of Factors.
std::vector<Chosen> choose(const Factors& factors, const Decomposition& input,
                           const std::optional<Decomposition>& output, const Model& model, std::size_t count);

/// What the model predicts for a schedule.
double seconds_of(const Schedule& schedule, const Factors& factors, const std::vector<StageBoxes>& boxes,
                  const Model& model);

} // namespace swirl::distributed
