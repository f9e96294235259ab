#pragma once

#include <swirl/options.hpp>

#include "base/fork_gate.hpp"
#include "fftw/guru_problem.hpp"
#include "fftw/plan.hpp"
#include "fftw/planner_flags.hpp"
#include "fftw/shared_plans.hpp"
#include "fftw/wisdom.hpp"

#include <memory>
#include <string>

namespace swirl::fftw {

/// FFTW's planner, of which a process has one: what its functions set, and the wisdom gathered so far. Safe to use from any
/// number of threads.
class Planner {
public:
    static Planner& of_process();

    /// Null if the problem cannot be planned, or may not, by these flags.
    std::unique_ptr<const Plan> plan(const GuruProblem& problem, unsigned asked, bool is_backward);

    int threads() const;
    double time_limit() const;           ///< negative: none
    void set_threads(int threads);       ///< less than 1 means 1
    void set_time_limit(double seconds); ///< negative: none
    Wisdom& wisdom() { return wisdom_; }
    void forget_wisdom();

private:
    std::unique_ptr<const Plan> planned(const GuruProblem& problem, unsigned asked, bool is_backward);
    /// The plan of one transform, of which `text` is the text.
    std::shared_ptr<const planning::Plan> part(const Transform& transform, const std::string& text,
                                               const Options& options);

    mutable ForkSafeMutex mutex_; ///< guards the two below
    int threads_ = 1;
    double time_limit_ = -1;
    Wisdom wisdom_;
    SharedPlans plans_;
};

} // namespace swirl::fftw
