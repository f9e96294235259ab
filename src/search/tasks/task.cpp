#include "search/tasks/task.hpp"

#include "plan/memory_need.hpp"
#include "search/options.hpp"

#include <utility>

namespace swirl::search {

ScheduleCandidate Task::choose() {
    followed_.clear();
    rejections_.clear();
    return chosen();
}

bool Task::forget() {
    if (followed_.empty()) return false;
    followed_.back().erase();
    followed_.clear();
    return true;
}

void Task::require_memory_for_benchmarks(const Problem& problem) const {
    std::visit(
        [&](const auto& kind) {
            planning::require_within(options().memory_limit_bytes,
                                     {.search = planning::array_bytes(kind), .is_whole = false}, kind);
        },
        problem);
}

ScheduleCandidate Task::choose_schedule(ChoiceRequest request) {
    request.progress = progress_of(options());
    request.interrupt = interrupt_of(options());
    if (given_timer() == nullptr && options().memory_limit_bytes > 0)
        request.timer = [this, &problem = request.problem, timer = std::move(request.timer)]() -> Timer& {
            require_memory_for_benchmarks(problem);
            return timer();
        };
    const StoredSchedules stored = request.stored;
    ChosenSchedule chosen = search::choose_schedule(std::move(request));
    if (chosen.is_from_wisdom) followed_.push_back(stored);
    return std::move(chosen.candidate);
}

} // namespace swirl::search
