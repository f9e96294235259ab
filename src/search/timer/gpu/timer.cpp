#include "search/timer/gpu/timer.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/timer.hpp"
#include "search/candidates/gpu/gemm_code.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <system_error>
#include <thread>
#include <vector>

namespace swirl::search {

namespace {

/// A candidate slower than the fastest by more than this in the screening is dropped.
constexpr double promising_on_gpu = 1.08;
constexpr std::size_t max_interleaved = 8;
/// Maximum fraction of the time budget for building and screening.
constexpr double preparation_fraction = 0.75;
constexpr std::size_t max_builders = 16;
/// Products timed against the incumbent at once.
constexpr std::size_t products_at_once = 8;

const InterleavedTimingOptions glance{.seconds = 6e-3, .warm_up = 1e-3, .sample = 5e-4, .min_rounds = 5};
InterleavedTimingOptions of_shortlist(double seconds) {
    return {.seconds = seconds, .warm_up = 5e-4, .sample = 5e-4, .min_rounds = 3};
}
constexpr double longest_finish = 0.5,
                 shortest_finish = 0.02; ///< seconds, for all remaining candidates together

const planning::GpuPlan& gpu_plan_of(const ScheduleCandidate& candidate) {
    return *static_cast<const planning::GpuPlan*>(candidate.built.get());
}

} // namespace

double GpuTimer::now() { return runtime::monotonic_seconds() - preparing_seconds_; }

void GpuTimer::prepare(const Transform& problem) {
    if (problem_ == problem) return;
    const double start = runtime::monotonic_seconds();
    data_.reset(); // before the next data is allocated
    data_.emplace(device_, problem);
    problem_ = problem;
    preparing_seconds_ += runtime::monotonic_seconds() - start;
}

/// Builds as many in parallel as there are processors: the driver's compiler dominates and uses one thread per kernel.
void GpuTimer::build(const Transform& problem, std::span<ScheduleCandidate> candidates,
                     const Observer& observer) const {
    std::atomic<std::size_t> next{0};
    const auto work = [&, is_in_section = ForkSection::is_inside(), caller = std::this_thread::get_id()] {
        const ForkSection::Joined joined(is_in_section);
        for (std::size_t k = next++; k < candidates.size(); k = next++) {
            if (std::this_thread::get_id() == caller) observer.ask();
            ScheduleCandidate& candidate = candidates[k];
            if (candidate.built) continue;
            try {
                candidate.built = planning::GpuPlan::build(problem, candidate.schedule, device_,
                                                           {.check = false, .use_cache = use_cache_});
            } catch (const Error& error) { // it needs more than this GPU has, or than the generator supports
                candidate.infeasible_because = error.what();
            }
        }
    };
    std::vector<std::jthread> others;
    try {
        while (others.size() + 1 < candidates.size()) others.emplace_back(work);
    } catch (const std::system_error&) {} // fewer threads suffice
    try {
        work();
    } catch (...) {
        next = candidates.size(); // the other threads end with their present candidate
        throw;
    }
}

std::function<void(std::size_t)> GpuTimer::execution_of(const planning::GpuPlan& plan) {
    if (!workspace_ || workspace_->bytes() < plan.workspace_bytes()) {
        stream_.synchronize();
        workspace_.reset();
        workspace_.emplace(device_, plan.workspace_bytes());
    }
    return [this, &plan](std::size_t execution) {
        plan.execute(data_->arguments(execution), stream_.handle(),
                     {reinterpret_cast<void*>(workspace_->address()), workspace_->bytes()});
    };
}

void GpuTimer::screen(ScheduleCandidate& candidate, const Observer& observer) {
    const GpuWork work{execution_of(gpu_plan_of(candidate))};
    InterleavedTimingOptions options = glance;
    options.interrupt = observer.interrupt;
    const InterleavedTimes times = time_interleaved(stream_, std::span(&work, 1), options).front();
    if (times.failed_because.empty())
        candidate.seconds = times.time.median;
    else
        candidate.infeasible_because = times.failed_because;
}

/// Interleaved, so that clock drift affects all alike.
void GpuTimer::finish(std::span<ScheduleCandidate* const> left, InterleavedTimingOptions options,
                      const Observer& observer) {
    std::vector<GpuWork> works;
    for (const ScheduleCandidate* candidate : left)
        execution_of(gpu_plan_of(*candidate)); // grows the workspace
    for (const ScheduleCandidate* candidate : left) works.push_back({execution_of(gpu_plan_of(*candidate))});
    options.interrupt = observer.interrupt;
    const std::vector<InterleavedTimes> times = time_interleaved(stream_, works, options);
    for (std::size_t k = 0; k < left.size(); ++k)
        if (times[k].failed_because.empty()) left[k]->seconds = times[k].time.median;
}

void GpuTimer::compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline,
                       Care care, const Observer& observer) {
    std::visit(
        [&](const auto& each) {
            if (care == Care::shortlist)
                compare_shortlist(each, candidates, deadline - now(), observer);
            else
                compare(each, candidates, deadline, observer);
        },
        problem);
}

void GpuTimer::compare_shortlist(const Transform& problem, std::span<ScheduleCandidate> candidates,
                                 double seconds, const Observer& observer) {
    build(problem, candidates, observer);
    std::vector<ScheduleCandidate*> left;
    for (ScheduleCandidate& candidate : candidates)
        if (candidate.built) left.push_back(&candidate);
    if (left.size() < 2 || !candidates.front().built) return;
    prepare(problem);
    finish(left, of_shortlist(seconds), observer);
}

void GpuTimer::compare_shortlist(const MatrixProduct& product, std::span<ScheduleCandidate> candidates,
                                 double seconds, const Observer& observer) {
    prepare(product);
    std::vector<gemm::GpuGemmSchedule> schedules;
    for (const ScheduleCandidate& candidate : candidates) schedules.push_back(candidate.schedule.gpu_gemm());
    const std::vector<double> times =
        products_->seconds(schedules, observer.interrupt, of_shortlist(seconds));
    for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].seconds = times[k];
}

void GpuTimer::compare(const Transform& problem, std::span<ScheduleCandidate> candidates, double deadline,
                       const Observer& observer) {
    prepare(problem);
    const double begin = now(), last_start = begin + preparation_fraction * (deadline - begin);
    const auto at_once = std::min<std::size_t>(max_builders, static_cast<std::size_t>(runtime::processors()));
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    const auto is_beaten = [&](const ScheduleCandidate& each) {
        return each.seconds > promising_on_gpu * fastest;
    };
    for (std::size_t first = 0; first < candidates.size();) {
        const double start = now();
        if (first > 0 && start + longest > last_start) break;
        const std::size_t count = first == 0 ? 1 : std::min(at_once, candidates.size() - first);
        build(problem, candidates.subspan(first, count), observer);
        for (std::size_t k = first; k < first + count; ++k) {
            if (candidates[k].built) screen(candidates[k], observer);
            if (!candidates[k].infeasible_because.empty()) {
                observer.seen(k);
                continue;
            }
            fastest = std::min(fastest, candidates[k].seconds);
            if (k > 0 && is_beaten(candidates[k])) candidates[k].built.reset();
            observer.seen(k);
        }
        longest = first == 0 ? now() - start : std::max(longest, now() - start);
        first += count;
    }
    std::vector<ScheduleCandidate*> left;
    for (ScheduleCandidate& candidate : candidates)
        if (candidate.built && candidate.is_timed() &&
            (&candidate == candidates.data() || !is_beaten(candidate)))
            left.push_back(&candidate);
    if (left.size() < 2) return;
    std::stable_sort(left.begin() + 1, left.end(),
                     [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
    left.resize(std::min(left.size(), max_interleaved));
    finish(left,
           {.seconds = std::clamp(deadline - now(), shortest_finish, longest_finish),
            .warm_up = 2e-3,
            .sample = 1e-3},
           observer);
}

void GpuTimer::prepare(const MatrixProduct& product) {
    if (products_ && products_->product() == product) return;
    const double start = runtime::monotonic_seconds();
    products_.reset(); // before the next matrices are allocated
    products_.emplace(device_, product, use_cache_);
    preparing_seconds_ += runtime::monotonic_seconds() - start;
}

void GpuTimer::compare(const MatrixProduct& product, std::span<ScheduleCandidate> candidates, double deadline,
                       const Observer& observer) {
    prepare(product);
    std::vector<gemm::GpuGemmSchedule> schedules;
    for (const ScheduleCandidate& candidate : candidates) schedules.push_back(candidate.schedule.gpu_gemm());
    const std::vector<CompiledGemm> codes = products_->compile(schedules, observer.interrupt);
    if (!candidates[0].is_timed())
        candidates[0].seconds = products_->seconds(std::span(schedules).first(1), observer.interrupt).front();
    if (candidates.size() == 1) return observer.seen(0);
    const TimingOrder order =
        timing_order(codes, schedules, product, device_.target(), candidates[0].seconds);
    for (const auto& [which, why] : order.left_out) {
        candidates[which].infeasible_because = why;
        observer.seen(which);
    }
    for (std::size_t first = 0; first < order.worth_timing.size() && now() < deadline;
         first += products_at_once) {
        const auto group = std::span(order.worth_timing)
                               .subspan(first, std::min(products_at_once, order.worth_timing.size() - first));
        std::vector<gemm::GpuGemmSchedule> in_rotation{schedules[0]};
        for (const std::size_t which : group) in_rotation.push_back(schedules[which]);
        const std::vector<double> seconds = products_->seconds(in_rotation, observer.interrupt);
        // Groups are compared by their ratios to the incumbent.
        const double scale = first > 0 && std::isfinite(seconds[0]) ? candidates[0].seconds / seconds[0] : 1;
        if (first == 0) candidates[0].seconds = seconds[0];
        for (std::size_t k = 0; k < group.size(); ++k) {
            candidates[group[k]].seconds = scale * seconds[k + 1];
            if (!candidates[group[k]].is_timed())
                candidates[group[k]].infeasible_because = "its execution failed";
            observer.seen(group[k]);
        }
    }
}

} // namespace swirl::search
