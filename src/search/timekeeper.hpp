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

/// A recipe in a contest of speed.
struct Contender {
    planning::Recipe recipe;
    double seconds = std::numeric_limits<double>::infinity(); ///< of one execution; infinite: not timed
    std::shared_ptr<const planning::Plan> plan = {};          ///< built, not checked; null before
    double building_seconds = 0;                              ///< that its plan took
    bool fits = true; ///< false where it turned out that the problem does not admit it

    bool is_timed() const { return seconds < std::numeric_limits<double>::infinity(); }
};

/// What a search asks of the world: the time, and how long recipes take. Tests put one in its place that knows.
class Timekeeper {
public:
    virtual ~Timekeeper() = default;

    /// Seconds on a clock that only this has.
    virtual double now() = 0;

    /// Called with the index of each contender that has been run.
    using Seen = std::function<void(std::size_t)>;

    /// Times the contenders in turn. The first is timed in any case; of the others those that time reaches until `until`
    /// on this clock. One that cannot be built keeps its infinite time.
    virtual void race(const Problem& problem, std::span<Contender> contenders, double until,
                      const Seen& seen) = 0;
};

/// Builds plans and runs them on this machine.
class MachineTimekeeper final : public Timekeeper {
public:
    /// `threads` work on each execution of `whole`, one on those of its parts.
    MachineTimekeeper(Problem whole, int threads) : whole_(std::move(whole)), threads_(threads) {}

    double now() override;
    void race(const Problem& problem, std::span<Contender> contenders, double until,
              const Seen& seen) override;

private:
    struct Track {
        Problem problem;
        planning::ProblemData data;
    };
    planning::ProblemData& data_for(const Problem& problem);
    /// Builds and runs a contender a few times; false where it cannot be built.
    bool try_out(const Problem& problem, Contender& contender);

    int threads_for(const Problem& problem) const { return problem == whole_ ? threads_ : 1; }

    Problem whole_;
    int threads_;
    std::optional<Track> track_; ///< of the last problem: filling large arrays takes its time
};

} // namespace swirl::search
