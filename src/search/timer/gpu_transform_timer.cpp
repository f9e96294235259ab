#include "search/timer/gpu_transform_timer.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/timer.hpp"
#include "search/timer/gpu_interleaved_timing.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace swirl::search {

namespace {

/// A candidate slower than the fastest by more than this in the screening is dropped.
constexpr double promising_on_gpu = 1.08;
constexpr std::size_t max_interleaved = 8;
/// Maximum fraction of the time budget for building and screening.
constexpr double screening_fraction = 0.75;
constexpr std::size_t max_builders = 16;

const InterleavedTimingOptions glance{.seconds = 6e-3, .warm_up = 1e-3, .sample = 5e-4, .min_rounds = 5};
constexpr double longest_finish = 0.5,
                 shortest_finish = 0.02; ///< seconds, for all remaining candidates together

} // namespace

double DeviceTransformTimer::now() { return runtime::monotonic_seconds() - preparing_seconds_; }

void DeviceTransformTimer::prepare(const Transform& problem) {
    if (problem_ == problem) return;
    const double start = runtime::monotonic_seconds();
    data_.reset(); // before the next data is allocated
    data_.emplace(device_, problem);
    problem_ = problem;
    preparing_seconds_ += runtime::monotonic_seconds() - start;
}

/// Builds as many in parallel as there are processors: the driver's compiler dominates and uses one thread per kernel.
void DeviceTransformTimer::build(const Transform& problem,
                                 std::span<GpuTransformCandidate> candidates) const {
    std::atomic<std::size_t> next{0};
    const auto work = [&, is_in_section = ForkSection::is_inside()] {
        const ForkSection::Joined joined(is_in_section);
        for (std::size_t k = next++; k < candidates.size(); k = next++) {
            GpuTransformCandidate& candidate = candidates[k];
            if (candidate.plan) continue;
            try {
                candidate.plan = planning::GpuPlan::build(problem, candidate.schedule, device_,
                                                          {.check = false, .use_cache = use_cache_});
            } catch (
                const UserError&) { // a configuration that this GPU does not support, or that exceeds its memory
                candidate.fits = false;
            } catch (const InternalError&) { // a kernel beyond the generator's limits
                candidate.fits = false;
            }
        }
    };
    std::vector<std::jthread> others;
    try {
        while (others.size() + 1 < candidates.size()) others.emplace_back(work);
    } catch (const std::system_error&) {} // fewer threads suffice
    work();
}

std::function<void(std::size_t)> DeviceTransformTimer::execution_of(const planning::GpuPlan& plan) {
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

void DeviceTransformTimer::screen(GpuTransformCandidate& candidate) {
    const GpuWork work{execution_of(*candidate.plan)};
    const InterleavedTimes times = time_interleaved(stream_, std::span(&work, 1), glance).front();
    if (times.failed_because.empty())
        candidate.seconds = times.time.median;
    else
        candidate.fits = false;
}

/// Interleaved, so that clock drift affects all alike.
void DeviceTransformTimer::finish(std::span<GpuTransformCandidate* const> left, double seconds) {
    std::vector<GpuWork> works;
    for (const GpuTransformCandidate* candidate : left) execution_of(*candidate->plan); // grows the workspace
    for (const GpuTransformCandidate* candidate : left) works.push_back({execution_of(*candidate->plan)});
    const std::vector<InterleavedTimes> times = time_interleaved(
        stream_, works,
        {.seconds = std::clamp(seconds, shortest_finish, longest_finish), .warm_up = 2e-3, .sample = 1e-3});
    for (std::size_t k = 0; k < left.size(); ++k)
        if (times[k].failed_because.empty()) left[k]->seconds = times[k].time.median;
}

void DeviceTransformTimer::benchmark(const Transform& problem, std::span<GpuTransformCandidate> candidates,
                                     double deadline, const Seen& seen) {
    prepare(problem);
    const double begin = now(), last_start = begin + screening_fraction * (deadline - begin);
    const auto at_once = std::min<std::size_t>(max_builders, static_cast<std::size_t>(runtime::processors()));
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    const auto is_beaten = [&](const GpuTransformCandidate& each) {
        return each.seconds > promising_on_gpu * fastest;
    };
    for (std::size_t first = 0; first < candidates.size();) {
        const double start = now();
        if (first > 0 && start + longest > last_start) break;
        const std::size_t count = first == 0 ? 1 : std::min(at_once, candidates.size() - first);
        build(problem, candidates.subspan(first, count));
        for (std::size_t k = first; k < first + count; ++k) {
            if (!candidates[k].plan) continue;
            screen(candidates[k]);
            if (!candidates[k].is_timed()) continue;
            fastest = std::min(fastest, candidates[k].seconds);
            if (k > 0 && is_beaten(candidates[k])) candidates[k].plan.reset();
            seen(k);
        }
        longest = first == 0 ? now() - start : std::max(longest, now() - start);
        first += count;
    }
    std::vector<GpuTransformCandidate*> left;
    for (GpuTransformCandidate& candidate : candidates)
        if (candidate.plan && candidate.is_timed() &&
            (&candidate == candidates.data() || !is_beaten(candidate)))
            left.push_back(&candidate);
    if (left.size() < 2) return;
    std::stable_sort(left.begin() + 1, left.end(),
                     [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
    left.resize(std::min(left.size(), max_interleaved));
    finish(left, deadline - now());
}

} // namespace swirl::search
