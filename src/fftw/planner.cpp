#include "fftw/planner.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "fftw/compose.hpp"
#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "runtime/timer.hpp"
#include "search/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace swirl::fftw {
namespace {

/// With less than this left of a time limit, in seconds, a plan is estimated.
constexpr double least_seconds = 1e-3;
/// Of an execution; programs may ask for any number.
constexpr int most_threads = 1024;

} // namespace

Planner& Planner::of_process() {
    static constinit LazyValue<Planner> planner;
    return planner.get([] { return Planner(); });
}

int Planner::threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
}

void Planner::set_threads(int threads) {
    const std::lock_guard lock(mutex_);
    threads_ = std::max(threads, 1);
}

void Planner::set_time_limit(double seconds) {
    const std::lock_guard lock(mutex_);
    time_limit_ = seconds;
}

double Planner::time_limit() const {
    const std::lock_guard lock(mutex_);
    return time_limit_;
}

void Planner::forget_wisdom() {
    wisdom_.forget();
    plans_.forget();
}

std::unique_ptr<const Plan> Planner::plan(const GuruProblem& problem, unsigned asked, bool is_backward) {
    try {
        return planned(problem, asked, is_backward);
    } catch (const InternalError& bug) {
        log_warning(bug.what());
    } catch (const Error&) {          // a null plan says so
    } catch (const std::bad_alloc&) { // the same
    } catch (const std::exception& bug) {
        log_warning(bug.what());
    }
    return nullptr;
}

std::unique_ptr<const Plan> Planner::planned(const GuruProblem& problem, unsigned asked, bool is_backward) {
    const Sequence sequence = compose(problem);
    const bool needs_wisdom = (asked & flags::wisdom_only) != 0;
    Options options{.effort = effort_of(asked), .time_budget_seconds = usual_budget(asked)};
    double limit = 0;
    {
        const std::lock_guard lock(mutex_);
        options.threads = std::min(threads_, most_threads);
        limit = time_limit_;
    }
    const double begin = runtime::monotonic_seconds();
    std::vector<Plan::Part> parts;
    for (const Step& step : sequence.steps) {
        const std::string text = to_text(step.transform);
        if (needs_wisdom && !wisdom_.knows(text, options.effort)) return nullptr;
        Options of_part = options;
        if (limit >= 0 && options.effort != Effort::estimate) {
            const double left = limit - (runtime::monotonic_seconds() - begin);
            if (left < least_seconds)
                of_part.effort = Effort::estimate;
            else
                of_part.time_budget_seconds = std::min(left, of_part.time_budget_seconds.value_or(left));
        }
        parts.push_back({part(step.transform, text, of_part), step.from, step.to});
    }
    return std::make_unique<const Plan>(std::move(parts), sequence, problem.arrays, is_backward);
}

std::shared_ptr<const planning::Plan> Planner::part(const Transform& transform, const std::string& text,
                                                    const Options& options) {
    const std::string request = fmt::format("{} | {} threads", text, options.threads);
    auto plan = plans_.find(request, options.effort);
    if (plan == nullptr) {
        plan = search::make_plan<planning::Plan>(transform, options);
        plans_.store(request, options.effort, plan);
    }
    if (!wisdom_.knows(text, options.effort))
        wisdom_.remember(text, options.effort, planning::to_string(plan->schedule()));
    return plan;
}

} // namespace swirl::fftw
