#pragma once

#include "base/error.hpp"
#include "plan/check/batch_sample.hpp"
#include "problem/problem.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

namespace swirl::planning {

/// Memory that the check of a plan may take, in bytes.
struct CheckCapacity {
    Integer bytes;           ///< with arrays on the host
    Integer batch_bytes = 0; ///< with arrays of a whole batch on a GPU, and a sample's on the host
};

/// What the check of a plan before its first use computes.
struct CheckScope {
    enum class Kind : std::uint8_t {
        none,
        whole,
        sample,       ///< some transforms of the batch, by the plan itself
        shorter_batch ///< a plan of the same schedule for fewer transforms
    };
    Kind kind = Kind::none;
    std::string reason = {};                ///< why there is none
    std::optional<BatchSample> sample = {}; ///< of Kind::sample
    std::optional<Transform> shorter = {};  ///< of Kind::shorter_batch
    Integer bytes = 0;                      ///< that the check takes at least, besides the plan's workspace

    /// Of a plan that its caller wants unchecked.
    static CheckScope not_wanted();
    /// No check, for a reason that follows "because".
    static CheckScope none(std::string reason);
    /// Of a plan of this problem. `chunk`: iterations of the outermost loop that the schedule's launches need, or 0.
    static CheckScope of(const Transform& problem, const CheckCapacity& capacity, Integer chunk = 0);
};

/// Checks the scope's shorter batch: `build` makes, and so checks, a plan of the same schedule for it. No check if there is no
/// such plan.
template <class Build> CheckScope check_shorter_batch(CheckScope scope, const Build& build) {
    try {
        build(*scope.shorter);
    } catch (const UserError& error) {
        return CheckScope::none(
            fmt::format("no plan for a shorter batch has its schedule: {}", error.what()));
    }
    return scope;
}

/// "yes, 512 of 100000 transforms", "no, because …".
std::string to_string(const CheckScope& scope, const Transform& problem);

} // namespace swirl::planning
