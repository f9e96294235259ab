#pragma once

#include "problem/syntax.hpp"
#include "search/timer/transform_timer.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// A fake timer with known times: timing a schedule takes `cost` seconds of its clock, whatever the result.
class FakeTimer final : public TransformTimer {
public:
    /// Seconds of a schedule for a problem; negative if it cannot be built.
    using Seconds = std::function<double(const Transform&, const std::string& schedule)>;
    explicit FakeTimer(Seconds seconds, double cost = 0.01) : seconds_(std::move(seconds)), cost_(cost) {}

    struct Benchmark {
        std::string problem;
        std::vector<std::string> schedules; ///< timed so far
    };
    std::vector<Benchmark> benchmarks;

    double now() override { return now_; }

    void benchmark(const Transform& problem, std::span<TransformCandidate> candidates, double deadline,
                   const Seen& seen) override {
        Benchmark benchmark{to_text(problem), {}};
        for (std::size_t i = 0; i < candidates.size() && (i == 0 || now_ + cost_ <= deadline); ++i) {
            now_ += cost_;
            const std::string schedule = planning::to_string(candidates[i].schedule);
            const double seconds = seconds_(problem, schedule);
            candidates[i].fits = seconds >= 0;
            if (!candidates[i].fits) continue;
            candidates[i].seconds = seconds;
            benchmark.schedules.push_back(schedule);
            seen(i);
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
