#pragma once

#include "search/timer/timer.hpp"

#include <swirl/problem.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// A fake timer with known times, for problems and devices of all kinds: timing a schedule takes `cost` seconds of its
/// clock, whatever the result.
class FakeTimer final : public Timer {
public:
    /// Seconds of a schedule for a problem; negative if it cannot be built.
    using Seconds = std::function<double(const Problem&, const planning::Schedule&)>;
    explicit FakeTimer(Seconds seconds, double cost = 0.01) : seconds_(std::move(seconds)), cost_(cost) {}

    /// By the schedule's text.
    static FakeTimer by_text(std::function<double(const std::string&)> seconds, double cost = 0.01) {
        return FakeTimer(
            [seconds = std::move(seconds)](const Problem&, const planning::Schedule& schedule) {
                return seconds(to_string(schedule));
            },
            cost);
    }

    struct Benchmark {
        std::string problem;
        std::vector<std::string> schedules; ///< timed so far
    };
    std::vector<Benchmark> benchmarks;
    std::vector<planning::Schedule> timed; ///< in all benchmarks, in order

    double now() override { return now_; }

    void compare(const Problem& problem, std::span<ScheduleCandidate> candidates, double deadline, Care,
                 const Observer& observer) override {
        Benchmark benchmark{to_text(problem), {}};
        for (std::size_t i = 0; i < candidates.size() && (i == 0 || now_ + cost_ <= deadline); ++i) {
            now_ += cost_;
            const double seconds = seconds_(problem, candidates[i].schedule);
            if (seconds < 0) {
                candidates[i].infeasible_because = "it cannot be built";
                observer.seen(i);
                continue;
            }
            candidates[i].seconds = seconds;
            benchmark.schedules.push_back(to_string(candidates[i].schedule));
            timed.push_back(candidates[i].schedule);
            observer.seen(i);
        }
        benchmarks.push_back(std::move(benchmark));
    }

    long benchmarks_of(const std::string& problem) const {
        return std::count_if(benchmarks.begin(), benchmarks.end(),
                             [&](const Benchmark& benchmark) { return benchmark.problem == problem; });
    }

private:
    Seconds seconds_;
    double cost_;
    double now_ = 0;
};

} // namespace swirl::search
