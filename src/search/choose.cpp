#include "search/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace swirl::search {

using planning::Schedule;

namespace {

/// A stored schedule is kept if it takes at most this multiple of the estimate's time: a smaller difference may be luck.
constexpr double as_fast = 1.01;

double budget_of(const ChoiceRequest& request) {
    const bool has_budget = request.effort != Effort::exhaustive || request.seconds > 0;
    return has_budget ? request.seconds : std::numeric_limits<double>::infinity();
}

/// Another version's schedule, if it is still as fast as the estimate's.
std::optional<ScheduleCandidate> rechecked(const ChoiceRequest& request, const Schedule& schedule) {
    Timer& timer = request.timer();
    ScheduleCandidate both[] = {{request.estimate()}, {schedule}};
    const double seconds = std::min(request.seconds, request.recheck_seconds);
    const auto seen = [&](std::size_t) {
        if (request.interrupt) request.interrupt();
    };
    timer.compare(request.problem, both, timer.now() + seconds, Care::screen,
                  {.seen = seen, .interrupt = request.interrupt});
    if (!both[1].is_timed() || both[1].seconds > as_fast * both[0].seconds) return std::nullopt;
    return both[1];
}

} // namespace

ChosenSchedule choose_schedule(ChoiceRequest request) {
    const std::optional<StoredSchedule> known = request.stored.lookup();
    if (known && known->is_trusted(request.effort)) return {{known->schedule, known->seconds}, true};
    if (request.effort == Effort::estimate) return {{request.estimate()}};
    if (known && request.effort == Effort::measure && !known->is_current)
        if (auto winner = rechecked(request, known->schedule)) {
            request.stored.store(winner->schedule, winner->seconds, FoundBy::measure);
            return {*winner};
        }
    std::vector<Schedule> others = request.stored.elsewhere();
    if (known) others.insert(others.begin(), known->schedule);
    SearchResult result = search(request.problem, request.space(std::move(others)), request.timer(),
                                 {budget_of(request), request.progress, request.interrupt});
    if (result.best.is_timed())
        request.stored.store(result.best.schedule, result.best.seconds,
                             result.is_complete ? found_by(request.effort) : FoundBy::measure);
    return {std::move(result.best)};
}

} // namespace swirl::search
