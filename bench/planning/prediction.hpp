#pragma once

#include "plan/time_need.hpp"

#include <swirl/problem.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Predicted planning times beside measured ones.
namespace swirl::bench {

/// A plan for the host's CPU with its check.
struct TimedPlanning {
    std::string problem;
    planning::PlanningWork work;
    double seconds; ///< CPU time, least of some runs
};
std::vector<TimedPlanning> time_planning(const std::vector<Problem>& problems);

/// Predicted seconds over measured ones, by problem; printed with a summary. Returns how many differ by more than
/// `factor`.
std::size_t print_predictions(const std::vector<TimedPlanning>& timed, const planning::PlanningRates& rates,
                              double factor);

/// Rates with the least mean square of the predictions' logarithms.
planning::PlanningRates fitted(const std::vector<TimedPlanning>& timed);
/// As designated initialisers.
void print(const planning::PlanningRates& rates);

} // namespace swirl::bench
