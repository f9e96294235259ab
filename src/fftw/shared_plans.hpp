#pragma once

#include <swirl/options.hpp>

#include "base/fork_gate.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace swirl::fftw {

/// Plans that programs hold, and the small ones they held last: FFTW's programs plan the same transforms again and again, and
/// get the same kernels.
class SharedPlans {
public:
    using PlanPointer = std::shared_ptr<const planning::Plan>;

    /// The plan made for this request with at least as much effort; null if there is none. `request` names everything that
    /// a plan depends on.
    PlanPointer find(const std::string& request, Effort effort);
    void store(const std::string& request, Effort effort, const PlanPointer& plan);
    /// From now on only plans that programs hold.
    void forget();

private:
    struct Known {
        std::weak_ptr<const planning::Plan> plan;
        Effort effort;
    };
    void keep(const PlanPointer& plan);

    ForkSafeMutex mutex_;
    std::unordered_map<std::string, Known> known_;
    std::size_t most_known_ = 1024;  ///< at this size those that nobody holds are removed
    std::deque<PlanPointer> recent_; ///< most recent first
};

} // namespace swirl::fftw
