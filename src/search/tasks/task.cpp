#include "search/tasks/task.hpp"

#include "plan/memory_need.hpp"
#include "plan/time_need.hpp"
#include "search/options.hpp"

#include <limits>
#include <utility>

namespace swirl::search {

ScheduleCandidate Task::choose() {
    followed_.clear();
    follows_shipped_ = false;
    rejections_.clear();
    return chosen();
}

bool Task::forget() {
    if (follows_shipped_) {
        follows_shipped_ = false;
        use_shipped_ = false;
        return true;
    }
    if (followed_.empty()) return false;
    followed_.back().erase();
    followed_.clear();
    return true;
}

void Task::require_benchmarks_within_limits(const Problem& problem, double budget) const {
    const bool is_unlimited = options().effort == Effort::exhaustive && budget <= 0;
    const double seconds = is_unlimited ? std::numeric_limits<double>::infinity() : budget;
    std::visit(
        [&](const auto& kind) {
            planning::require_within(options().memory_limit_bytes,
                                     {.search = planning::array_bytes(kind), .is_whole = false}, kind);
            planning::require_in_time(options().planning_limit_seconds, {.search = seconds}, kind);
        },
        problem);
}

ScheduleCandidate Task::choose_schedule(ChoiceRequest request) {
    request.progress = progress_of(options());
    request.interrupt = interrupt_of(options());
    request.enough = enough_of(options());
    request.use_shipped = use_shipped_;
    const bool is_limited = options().memory_limit_bytes > 0 || options().planning_limit_seconds > 0;
    if (given_timer() == nullptr && is_limited)
        request.timer = [this, &problem = request.problem, budget = request.seconds,
                         timer = std::move(request.timer)]() -> Timer& {
            require_benchmarks_within_limits(problem, budget);
            return timer();
        };
    const StoredSchedules stored = request.stored;
    ChosenSchedule chosen = search::choose_schedule(std::move(request));
    if (chosen.by == ChosenBy::wisdom) followed_.push_back(stored);
    follows_shipped_ |= chosen.by == ChosenBy::shipped_wisdom;
    return std::move(chosen.candidate);
}

} // namespace swirl::search
