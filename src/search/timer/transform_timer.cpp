#include "search/timer/transform_timer.hpp"

#include "base/error.hpp"
#include "runtime/cpu/affinity.hpp"
#include "search/timer/timing.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

/// A candidate slower than the fastest by more than this factor in the screening is dropped.
constexpr double promising = 1.3;
/// Maximum fraction of the time budget for building plans.
constexpr double building_fraction = 0.6;
/// Seconds per remaining candidate: maximum for the whole problem and for subproblems, and minimum.
constexpr double longest_timing = 0.1, longest_timing_of_subproblem = 0.03, shortest_timing = 2e-3;

/// Whether a candidate other than the first is far from the fastest.
bool is_beaten(const TransformCandidate& candidate, double fastest) {
    return candidate.seconds > promising * fastest;
}

TimingOptions timing_for(double slowest, double seconds_each, double longest) {
    TimingOptions timing;
    timing.budget = std::clamp(seconds_each, shortest_timing, longest);
    timing.warm_up = std::min(timing.warm_up, timing.budget / 10);
    timing.shortest_sample = std::min(timing.shortest_sample, timing.budget / 10);
    timing.precision = 0.003;
    if (5 * slowest > timing.budget) timing.min_samples = 3;
    return timing;
}

} // namespace

double HostTransformTimer::now() { return runtime::monotonic_seconds(); }

planning::ProblemData& HostTransformTimer::data_for(const Transform& problem) {
    if (!timing_data_ || timing_data_->problem != problem) {
        timing_data_.reset(); // before the next data is allocated
        timing_data_.emplace(TimingData{problem, planning::ProblemData(problem)});
        timing_data_->data.fill(1);
        timing_data_->data.save();
    }
    return timing_data_->data;
}

bool HostTransformTimer::benchmark_briefly(const Transform& problem, TransformCandidate& candidate) {
    const double start = now();
    try {
        if (!candidate.plan) {
            candidate.plan = planning::Plan::build(problem, candidate.schedule,
                                                   {.threads = threads_for(problem), .check = false});
            candidate.building_seconds = now() - start;
        }
    } catch (const UserError&) { // a rule that does not admit this problem
        candidate.fits = false;
    } catch (const InternalError&) { // a kernel with more buffers or loops than supported
        candidate.fits = false;
    }
    if (!candidate.fits) return false;
    planning::ProblemData& data = data_for(problem);
    const TimedWork work =
        data.timed([&plan = *candidate.plan, arguments = data.arguments()] { plan.execute(arguments); });
    runtime::time_once(work, 1); // warms tables, code and data
    const double once = runtime::time_once(work, 1);
    constexpr double sample = 2e-5;
    const auto repetitions = static_cast<Integer>(std::clamp(sample / std::max(once, 1e-9), 1.0, 1000.0));
    candidate.seconds = once;
    if (once < 10 * sample)
        for (int k = 0; k < 3; ++k)
            candidate.seconds = std::min(candidate.seconds, runtime::time_once(work, repetitions));
    return true;
}

void HostTransformTimer::benchmark(const Transform& problem, std::span<TransformCandidate> candidates,
                                   double deadline, const Seen& seen) {
    std::optional<runtime::PinnedThread> pinned;
    if (threads_for(problem) == 1)
        pinned.emplace(); // threads started while pinned would inherit this affinity
    const runtime::FlushDenormals flush;
    const double begin = now(), last_start = begin + building_fraction * (deadline - begin);
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const double start = now();
        if (i > 0 && start + longest > last_start) break;
        if (!benchmark_briefly(problem, candidates[i])) continue;
        longest =
            std::max({longest, now() - start, candidates[i].building_seconds + 3 * candidates[i].seconds});
        fastest = std::min(fastest, candidates[i].seconds);
        if (i > 0 && is_beaten(candidates[i], fastest)) candidates[i].plan.reset();
        seen(i);
    }
    std::vector<TransformCandidate*> left;
    double slowest = 0;
    for (TransformCandidate& candidate : candidates) {
        if (!candidate.plan || (&candidate != &candidates[0] && is_beaten(candidate, fastest))) continue;
        left.push_back(&candidate);
        slowest = std::max(slowest, candidate.seconds);
    }
    if (left.size() < 2) return;
    planning::ProblemData& data = data_for(problem);
    std::vector<TimedWork> works;
    for (const TransformCandidate* candidate : left)
        works.push_back(data.timed(
            [&plan = *candidate->plan, arguments = data.arguments()] { plan.execute(arguments); }));
    const double longest_for_each = problem == whole_ ? longest_timing : longest_timing_of_subproblem;
    const auto times = measure_interleaved(
        works, timing_for(slowest, (deadline - now()) / static_cast<double>(works.size()), longest_for_each));
    for (std::size_t i = 0; i < left.size(); ++i) left[i]->seconds = times[i].median;
}

} // namespace swirl::search
