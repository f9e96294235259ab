#include "api/replaceable.hpp"

#include "base/log.hpp"
#include "problem/syntax.hpp"
#include "search/planner.hpp"

#include <fmt/format.h>

#include <utility>

namespace swirl::api {

Replaceable::Replaceable(std::shared_ptr<const Executable> first)
    : Executable(first->problem()), first_(std::move(first)) {}

PackedMatrix Replaceable::pack(gemm::Operand operand, const void* data) const {
    keep_for_packed();
    return now().pack(operand, data);
}

void Replaceable::keep_for_packed() const {
    Stage stage = Stage::open;
    stage_.compare_exchange_strong(stage, Stage::kept);
}

void Replaceable::replace(search::AnyPlan plan) {
    auto found = executable(std::move(plan));
    if (found->workspace_bytes() > first_->workspace_bytes())
        return log_warning(fmt::format(
            "the schedule found for '{}' serves later plans only: its workspace has {} bytes, this plan's {}",
            to_text(problem()), found->workspace_bytes(), first_->workspace_bytes()));
    second_ = std::move(found);
    Stage stage = Stage::open;
    stage_.compare_exchange_strong(stage, Stage::replaced);
}

std::shared_ptr<const Executable> tuned_in_background(const Problem& problem, const Options& options) {
    search::require_background(options);
    auto first = executable(search::make_plan(problem, search::options_until_found(options)));
    if (!options.schedule.empty()) return first; // nothing to search for
    if (!options.swap_schedule) {
        search::search_in_background({problem, options});
        return first;
    }
    auto replaceable = std::make_shared<Replaceable>(std::move(first));
    search::search_in_background({problem, options, replaceable});
    return replaceable;
}

} // namespace swirl::api
