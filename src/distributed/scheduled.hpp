#pragma once

#include "distributed/choose.hpp"
#include "distributed/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace swirl::distributed {

/// Boxes of all ranks.
struct AllBoxes {
    std::vector<Box> input;
    std::optional<std::vector<Box>> output;
};

/// Throws UserError naming the rank and its box unless each element is in one box of each side.
void check_boxes(const Transform& problem, AllBoxes& boxes);

/// A schedule with everything that follows from it, the same on all ranks.
struct Scheduled {
    Factors factors;
    Schedule schedule;
    std::vector<StageBoxes> stages;
    Decomposition input, output;
    std::vector<Box> output_boxes; ///< of the problem's array
};

/// The best schedules, the fastest first, of a transform of one dimension with and without its matrix.
std::vector<Chosen> choose(const Transform& problem, const AllBoxes& boxes, const Model& model,
                           std::size_t count);
Chosen choose(const Transform& problem, const AllBoxes& boxes, const Model& model);

/// Throws UserError if the schedule does not fit.
Scheduled scheduled(const Transform& problem, const AllBoxes& boxes, const Schedule& schedule);

} // namespace swirl::distributed
