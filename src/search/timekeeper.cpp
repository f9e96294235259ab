#include "search/timekeeper.hpp"

#include "base/error.hpp"
#include "runtime/affinity.hpp"
#include "search/timing.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

/// Slower than the fastest by more than this at first sight, a contender is not looked at again.
constexpr double promising = 1.3;
/// At most this part of the time goes into building plans.
constexpr double building_share = 0.6;
/// Seconds for each of the contenders that are left: at most, for the whole and for parts, and at least.
constexpr double longest_timing = 0.1, longest_timing_of_part = 0.03, shortest_timing = 2e-3;

/// A contender that is no first and is nowhere near the fastest.
bool is_beaten(const Contender& contender, double fastest) { return contender.seconds > promising * fastest; }

TimingOptions timing_for(double slowest, double seconds_each, double longest) {
    TimingOptions timing;
    timing.budget = std::clamp(seconds_each, shortest_timing, longest);
    timing.warm_up = std::min(timing.warm_up, timing.budget / 10);
    timing.shortest_sample = std::min(timing.shortest_sample, timing.budget / 10);
    timing.precision = 0.003;
    if (5 * slowest > timing.budget) timing.least_samples = 3;
    return timing;
}

} // namespace

double MachineTimekeeper::now() { return runtime::monotonic_seconds(); }

planning::ProblemData& MachineTimekeeper::data_for(const Problem& problem) {
    if (!track_ || track_->problem != problem) {
        track_.reset(); // before the next one takes its memory
        track_.emplace(Track{problem, planning::ProblemData(problem)});
        track_->data.fill(1);
        track_->data.save();
    }
    return track_->data;
}

bool MachineTimekeeper::try_out(const Problem& problem, Contender& contender) {
    const double start = now();
    try {
        if (!contender.plan) {
            contender.plan = planning::Plan::build(problem, contender.recipe,
                                                   {.threads = threads_for(problem), .check = false});
            contender.building_seconds = now() - start;
        }
    } catch (const UserError&) { // a rule that does not admit this problem
        contender.fits = false;
    } catch (const InternalError&) { // a kernel of more buffers or loops than are foreseen
        contender.fits = false;
    }
    if (!contender.fits) return false;
    planning::ProblemData& data = data_for(problem);
    const TimedWork work =
        data.timed([&plan = *contender.plan, arguments = data.arguments()] { plan.execute(arguments); });
    runtime::time_once(work, 1); // tables, code and data come into the caches
    const double once = runtime::time_once(work, 1);
    constexpr double sample = 2e-5;
    const auto repetitions = static_cast<Integer>(std::clamp(sample / std::max(once, 1e-9), 1.0, 1000.0));
    contender.seconds = once;
    if (once < 10 * sample)
        for (int k = 0; k < 3; ++k)
            contender.seconds = std::min(contender.seconds, runtime::time_once(work, repetitions));
    return true;
}

void MachineTimekeeper::race(const Problem& problem, std::span<Contender> contenders, double until,
                             const Seen& seen) {
    std::optional<runtime::PinnedThread> pinned;
    if (threads_for(problem) == 1)
        pinned.emplace(); // threads that start now would all be pinned with this one
    const runtime::FlushDenormals flush;
    const double begin = now(), last_start = begin + building_share * (until - begin);
    double fastest = std::numeric_limits<double>::infinity(), longest = 0;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        const double start = now();
        if (i > 0 && start + longest > last_start) break;
        if (!try_out(problem, contenders[i])) continue;
        longest =
            std::max({longest, now() - start, contenders[i].building_seconds + 3 * contenders[i].seconds});
        fastest = std::min(fastest, contenders[i].seconds);
        if (i > 0 && is_beaten(contenders[i], fastest)) contenders[i].plan.reset();
        seen(i);
    }
    std::vector<Contender*> left;
    double slowest = 0;
    for (Contender& contender : contenders) {
        if (!contender.plan || (&contender != &contenders[0] && is_beaten(contender, fastest))) continue;
        left.push_back(&contender);
        slowest = std::max(slowest, contender.seconds);
    }
    if (left.size() < 2) return;
    planning::ProblemData& data = data_for(problem);
    std::vector<TimedWork> works;
    for (const Contender* contender : left)
        works.push_back(data.timed(
            [&plan = *contender->plan, arguments = data.arguments()] { plan.execute(arguments); }));
    const double longest_for_each = problem == whole_ ? longest_timing : longest_timing_of_part;
    const auto times = measure_interleaved(
        works, timing_for(slowest, (until - now()) / static_cast<double>(works.size()), longest_for_each));
    for (std::size_t i = 0; i < left.size(); ++i) left[i]->seconds = times[i].median;
}

} // namespace swirl::search
