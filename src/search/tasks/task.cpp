#include "search/tasks/task.hpp"

#include "search/options.hpp"

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

ScheduleCandidate Task::choose_schedule(ChoiceRequest request) {
    request.progress = progress_of(options());
    request.interrupt = interrupt_of(options());
    const StoredSchedules stored = request.stored;
    ChosenSchedule chosen = search::choose_schedule(std::move(request));
    if (chosen.is_from_wisdom) followed_.push_back(stored);
    return std::move(chosen.candidate);
}

} // namespace swirl::search
