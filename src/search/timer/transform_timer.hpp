#pragma once

#include "plan/plan.hpp"
#include "plan/problem_data.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace swirl::search {

/// A schedule to benchmark.
struct TransformCandidate {
    planning::TransformSchedule schedule;
    double seconds = std::numeric_limits<double>::infinity(); ///< per execution; infinite: not timed
    std::shared_ptr<const planning::Plan> plan = {};          ///< built, unchecked; null before
    double building_seconds = 0;                              ///< to build its plan
    bool fits = true; ///< false if the problem turned out not to admit it

    bool is_timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// Clock and benchmark for a search. Tests substitute a fake.
class TransformTimer {
public:
    virtual ~TransformTimer() = default;

    /// Seconds on the timer's own clock.
    virtual double now() = 0;

    /// Called with the index of each candidate that has been run.
    using Seen = std::function<void(std::size_t)>;

    /// Times the candidates interleaved. The first is always timed; the others until `deadline` on this clock. A
    /// candidate that cannot be built keeps its infinite time.
    virtual void benchmark(const Transform& problem, std::span<TransformCandidate> candidates,
                           double deadline, const Seen& seen) = 0;
};

/// Builds plans and runs them on this machine.
class HostTransformTimer final : public TransformTimer {
public:
    /// Executions of `whole` use `threads` threads, those of its subproblems one.
    HostTransformTimer(Transform whole, int threads) : whole_(std::move(whole)), threads_(threads) {}

    double now() override;
    void benchmark(const Transform& problem, std::span<TransformCandidate> candidates, double deadline,
                   const Seen& seen) override;

private:
    struct TimingData {
        Transform problem;
        planning::ProblemData data;
    };
    planning::ProblemData& data_for(const Transform& problem);
    /// Builds a candidate and runs it a few times; false if it cannot be built.
    bool benchmark_briefly(const Transform& problem, TransformCandidate& candidate);

    int threads_for(const Transform& problem) const { return problem == whole_ ? threads_ : 1; }

    Transform whole_;
    int threads_;
    std::optional<TimingData> timing_data_; ///< of the last problem: filling large arrays takes time
};

} // namespace swirl::search
