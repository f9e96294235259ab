#pragma once

#include <swirl/plan.hpp>

#include "api/executable.hpp"

#include <memory>

namespace swirl::api {

/// What a public plan holds.
struct PlanAccess {
    static Plan make(std::shared_ptr<const Executable> executable,
                     std::shared_ptr<const BoundArrays> bound = {}) {
        Plan plan;
        plan.executable_ = std::move(executable);
        plan.bound_ = std::move(bound);
        return plan;
    }
    /// Throws UserError for an empty plan.
    static const Executable& executable(const Plan& plan);
    static const std::shared_ptr<const Executable>& shared(const Plan& plan) { return plan.executable_; }
    static const BoundArrays* bound(const Plan& plan) { return plan.bound_.get(); }
};

} // namespace swirl::api
