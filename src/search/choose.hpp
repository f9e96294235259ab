#pragma once

#include <swirl/options.hpp>

#include "search/search.hpp"
#include "search/wisdom/stored_schedules.hpp"

#include <cstdint>
#include <functional>
#include <vector>

/// The precedence of wisdom, search and model, the same for every problem and device.
namespace swirl::search {

struct ChoiceRequest {
    const Problem& problem; ///< that candidates are timed on
    StoredSchedules stored;
    bool use_shipped = true; ///< what the library ships may decide
    Effort effort = Effort::estimate;
    /// Time budget; for an exhaustive search, 0 or infinite means none; for an estimate, of timing the shortlist.
    double seconds = 5;
    double recheck_seconds = 1; ///< limit for timing another version's schedule against the estimate
    std::function<planning::Schedule()> estimate; ///< the model's choice
    /// The schedules that the model predicts fastest, the estimate first. Timed for an estimate if wisdom knows nothing;
    /// empty: no estimate is timed.
    std::function<std::vector<planning::Schedule>()> shortlist = {};
    /// What a search tries. `others` are untrusted schedules from wisdom.
    std::function<SearchSpace(std::vector<planning::Schedule> others)> space;
    std::function<Timer&()> timer; ///< called only to time
    std::function<void(const std::string&)> progress = {};
    std::function<void()> interrupt = {};
    std::function<bool()> enough = {}; ///< ends a search early
};

enum class ChosenBy : std::uint8_t {
    search, ///< or the model
    wisdom, ///< of the user's: neither computed nor timed now
    shipped_wisdom,
};

struct ChosenSchedule {
    ScheduleCandidate candidate;
    ChosenBy by = ChosenBy::search;
};

/// A trusted schedule from wisdom; else, for an estimate, what the library ships for this kind of device; else the fastest of the shortlist, which is stored, or the model's choice
/// if nothing is timed. Otherwise a search's winner, which is stored if it
/// was timed. A schedule of another version that is still as fast as the estimate saves the search.
ChosenSchedule choose_schedule(ChoiceRequest request);

} // namespace swirl::search
