#include "search/choose.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace swirl::search {

using planning::Schedule;

namespace {

/// A stored schedule is kept if it takes at most this multiple of the estimate's time: a smaller difference may be luck.
constexpr double as_fast = 1.01;
/// A schedule of the shortlist replaces the estimate if it is faster by this factor.
constexpr double clearly_faster = 1.02;
/// Of the schedules that were found for another version, device or problem, those added to a shortlist.
constexpr std::size_t most_found_elsewhere = 2;

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

/// The fastest of the shortlist and of what wisdom has found elsewhere; the estimate if there is no memory or no time to
/// compare them.
ScheduleCandidate fastest_of_shortlist(const ChoiceRequest& request, const std::vector<Schedule>& found) {
    std::vector<ScheduleCandidate> candidates;
    const auto add = [&](const std::vector<Schedule>& schedules, std::size_t most) {
        for (std::size_t k = 0; k < std::min(most, schedules.size()); ++k)
            if (std::none_of(candidates.begin(), candidates.end(),
                             [&](const auto& each) { return each.schedule == schedules[k]; }))
                candidates.push_back({schedules[k]});
    };
    const std::vector<Schedule> best = request.shortlist();
    add(best, best.size());
    add(found, most_found_elsewhere);
    if (candidates.size() == 1) return std::move(candidates.front());
    const auto seen = [&](std::size_t) {
        if (request.interrupt) request.interrupt();
    };
    try {
        Timer& timer = request.timer();
        timer.compare(request.problem, candidates, timer.now() + request.seconds, Care::shortlist,
                      {.seen = seen, .interrupt = request.interrupt});
    } catch (const OutOfMemory&) {
        return {candidates.front().schedule};
    } catch (const OutOfTime&) {
        return {candidates.front().schedule};
    }
    return std::move(candidates[fastest_of(candidates, clearly_faster)]);
}

} // namespace

ChosenSchedule choose_schedule(ChoiceRequest request) {
    const std::optional<StoredSchedule> known = request.stored.lookup();
    if (known && known->is_trusted(request.effort))
        return {{known->schedule, known->seconds}, ChosenBy::wisdom};
    if (request.effort == Effort::estimate && request.use_shipped)
        if (const auto shipped = request.stored.shipped())
            return {{shipped->schedule, shipped->seconds}, ChosenBy::shipped_wisdom};
    if (request.effort == Effort::estimate && (!request.shortlist || request.seconds <= 0))
        return {{request.estimate()}};
    std::vector<Schedule> others = request.stored.elsewhere();
    if (known) others.insert(others.begin(), known->schedule);
    for (auto& [problem, schedule] :
         request.stored.shipped_neighbours(request.problem, StoredSchedules::Devices::any))
        if (std::find(others.begin(), others.end(), schedule) == others.end())
            others.push_back(std::move(schedule));
    if (request.effort == Effort::estimate) {
        ScheduleCandidate fastest = fastest_of_shortlist(request, others);
        if (fastest.is_timed()) request.stored.store(fastest.schedule, fastest.seconds, FoundBy::shortlist);
        return {std::move(fastest)};
    }
    if (known && request.effort == Effort::measure && !known->is_current)
        if (auto winner = rechecked(request, known->schedule)) {
            request.stored.store(winner->schedule, winner->seconds, FoundBy::measure);
            return {*winner};
        }
    SearchResult result = search(request.problem, request.space(std::move(others)), request.timer(),
                                 {budget_of(request), request.progress, request.interrupt, request.enough});
    if (result.best.is_timed())
        request.stored.store(result.best.schedule, result.best.seconds,
                             result.is_complete ? found_by(request.effort) : FoundBy::measure);
    return {std::move(result.best)};
}

} // namespace swirl::search
