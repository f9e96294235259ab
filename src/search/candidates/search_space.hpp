#pragma once

#include "search/timer/timer.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

/// What a search tries, as data: schedules to start from, and named actions that lead from a schedule to its neighbours.
namespace swirl::search {

class Benchmark;

/// One change of a schedule.
struct Action {
    std::string name;
    /// Schedules that differ from the incumbent by this action; none if it does not apply. `timed` are all candidates
    /// timed so far.
    std::function<std::vector<planning::Schedule>(const planning::Schedule& incumbent,
                                                  std::span<const ScheduleCandidate> timed)>
        neighbours;
};

struct SearchSpace {
    planning::Schedule estimate; ///< the model's choice: the first incumbent
    /// More schedules to start from, most promising first, found within a deadline: the model's others, those of wisdom,
    /// for transforms the best of timed subproblems.
    std::function<std::vector<planning::Schedule>(Benchmark& benchmark, double deadline)> proposals = {};
    std::vector<Action> actions = {}; ///< in the order in which they are tried
    int rounds = 1;                   ///< through all actions, as long as one of them helps
    /// Equal for schedules that run the same code; none of them is timed twice.
    std::function<std::string(const planning::Schedule&)> identity = [](const planning::Schedule& schedule) {
        return planning::to_string(schedule);
    };
    std::size_t compared_at_once =
        std::numeric_limits<std::size_t>::max(); ///< candidates, besides the incumbent
    /// A candidate replaces the incumbent if it is faster by this factor, twice: a smaller margin may be luck.
    double clearly_faster = 1.01;
};

} // namespace swirl::search
