#include "search/timer/cpu/timer.hpp"

#include "base/error.hpp"
#include "base/interrupt_scope.hpp"
#include "runtime/cpu/affinity.hpp"
#include "search/timer/cpu/timing.hpp"

#include <algorithm>
#include <limits>

namespace swirl::search {

namespace {

/// A candidate slower than the fastest by more than this factor in the screening is dropped.
constexpr double promising = 1.3;
/// Maximum fraction of the time budget for building plans.
constexpr double building_fraction = 0.6;
/// Seconds per remaining candidate: maximum for the whole problem and for subproblems, and minimum.
constexpr double longest_timing = 0.1, longest_timing_of_subproblem = 0.03, shortest_timing = 2e-3;

/// Whether a candidate other than the first is far from the fastest.
bool is_beaten(const ScheduleCandidate& candidate, double fastest) {
    return candidate.seconds > promising * fastest;
}

TimingOptions timing_for(double slowest, double seconds_each, double longest, runtime::Clock clock) {
    TimingOptions timing;
    timing.clock = clock;
    timing.budget = std::clamp(seconds_each, shortest_timing, longest);
    timing.warm_up = std::min(timing.warm_up, timing.budget / 10);
    timing.shortest_sample = std::min(timing.shortest_sample, timing.budget / 10);
    timing.precision = 0.003;
    if (5 * slowest > timing.budget) timing.min_samples = 3;
    return timing;
}

/// A candidate's plan is not built before the deadline.
struct TooLate {};

const planning::Plan& plan_of(const ScheduleCandidate& candidate) {
    return *static_cast<const planning::Plan*>(candidate.built.get());
}

} // namespace

double CpuTimer::now() { return runtime::seconds(clock_); }

planning::ProblemData& CpuTimer::data_for(const Transform& problem) {
    if (!timing_data_ || timing_data_->problem != problem) {
        timing_data_.reset(); // before the next data is allocated
        timing_data_.emplace(TimingData{problem, planning::ProblemData(problem)});
        timing_data_->data.fill(1);
        timing_data_->data.save();
    }
    return timing_data_->data;
}

std::optional<double> CpuTimer::benchmark_briefly(const Transform& problem, ScheduleCandidate& candidate,
                                                  double deadline, const Observer& observer) {
    observer.ask();
    const double start = now();
    double building = 0;
    try {
        if (!candidate.built) {
            const InterruptScope until_deadline([&] {
                if (now() > deadline) throw TooLate();
            });
            candidate.built =
                planning::Plan::build(problem, candidate.schedule, {.threads = threads_, .check = false});
            building = now() - start;
        }
    } catch (const TooLate&) {
        return std::nullopt;
    } catch (const UserError& error) { // a rule that does not admit this problem
        candidate.infeasible_because = error.what();
    } catch (const InternalError& error) { // a kernel with more buffers or loops than supported
        candidate.infeasible_because = error.what();
    }
    if (!candidate.built) return std::nullopt;
    planning::ProblemData& data = data_for(problem);
    observer.ask();
    const TimedWork work =
        data.timed([&plan = plan_of(candidate), arguments = data.arguments()] { plan.execute(arguments); });
    runtime::time_once(work, 1, clock_); // warms tables, code and data
    const double once = runtime::time_once(work, 1, clock_);
    constexpr double sample = 2e-5;
    const auto repetitions = static_cast<Integer>(std::clamp(sample / std::max(once, 1e-9), 1.0, 1000.0));
    candidate.seconds = once;
    if (once < 10 * sample)
        for (int k = 0; k < 3; ++k)
            candidate.seconds = std::min(candidate.seconds, runtime::time_once(work, repetitions, clock_));
    return building;
}

void CpuTimer::compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline,
                       Care care, const Observer& observer) {
    std::visit([&](const auto& each) { compare(each, candidates, deadline, care, observer); }, problem);
}

void CpuTimer::compare(const Transform& problem, std::span<ScheduleCandidate> candidates, double deadline,
                       Care care, const Observer& observer) {
    std::optional<runtime::PinnedThread> pinned;
    if (threads_ == 1 && clock_ == runtime::Clock::wall)
        pinned.emplace(); // threads started while pinned would inherit this affinity
    const runtime::FlushDenormals flush;
    const double begin = now(), last_start = begin + building_fraction * (deadline - begin);
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const double start = now();
        if (i > 0 && start + longest > last_start) break;
        constexpr double never = std::numeric_limits<double>::infinity();
        const std::optional<double> building =
            benchmark_briefly(problem, candidates[i], i > 0 ? deadline : never, observer);
        if (building) {
            longest = std::max({longest, now() - start, *building + 3 * candidates[i].seconds});
            fastest = std::min(fastest, candidates[i].seconds);
            if (i > 0 && is_beaten(candidates[i], fastest)) candidates[i].built.reset();
        }
        observer.seen(i);
    }
    std::vector<ScheduleCandidate*> left;
    double slowest = 0;
    for (ScheduleCandidate& candidate : candidates) {
        const bool is_first = &candidate == candidates.data();
        if (!candidate.built || !candidate.is_timed() || (!is_first && is_beaten(candidate, fastest)))
            continue;
        left.push_back(&candidate);
        slowest = std::max(slowest, candidate.seconds);
    }
    if (left.size() < 2) return;
    planning::ProblemData& data = data_for(problem);
    std::vector<TimedWork> works;
    for (const ScheduleCandidate* candidate : left)
        works.push_back(data.timed(
            [&plan = plan_of(*candidate), arguments = data.arguments()] { plan.execute(arguments); }));
    const double longest_for_each = care == Care::subproblem ? longest_timing_of_subproblem : longest_timing;
    const double seconds_each = (deadline - now()) / static_cast<double>(works.size());
    const auto times = measure_interleaved(works, timing_for(slowest, seconds_each, longest_for_each, clock_),
                                           observer.interrupt);
    for (std::size_t i = 0; i < left.size(); ++i) left[i]->seconds = times[i].median;
}

void CpuTimer::compare(const MatrixProduct& product, std::span<ScheduleCandidate> candidates, double deadline,
                       Care care, const Observer& observer) {
    if (!products_ || products_->data_type() != product.data_type)
        products_.emplace(product.data_type, tuned_extents(), clock_ == runtime::Clock::thread);
    if (candidates.size() == 1 || !candidates[0].is_timed())
        candidates[0].seconds =
            products_->seconds(*candidates[0].schedule.cpu_gemm().blocked(), observer.interrupt);
    if (candidates.size() == 1) return observer.seen(0);
    for (std::size_t i = 1; i < candidates.size() && (now() < deadline || care == Care::confirm); ++i) {
        const auto [seconds, speedup] =
            products_->compare(*candidates[i].schedule.cpu_gemm().blocked(),
                               *candidates[0].schedule.cpu_gemm().blocked(), care, observer.interrupt);
        if (seconds > 0) candidates[0].seconds = seconds;
        candidates[i].seconds = candidates[0].seconds / speedup;
        observer.seen(i);
    }
}

} // namespace swirl::search
