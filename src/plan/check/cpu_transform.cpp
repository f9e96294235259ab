#include "plan/check/cpu_transform.hpp"

#include "base/error.hpp"
#include "plan/check/sampled_execution.hpp"
#include "plan/check/transform.hpp"
#include "plan/check/write_watch.hpp"
#include "plan/transform/cpu/direct_call.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

namespace swirl::planning {

namespace {

/// `compare` runs the check with the given execution.
void compare_with(const Plan& plan, const std::string& name,
                  const std::function<void(const std::function<void(ProblemData&)>&)>& compare) {
    const std::size_t bytes = plan.workspace_bytes();
    compare([&](ProblemData& data) {
        run_in_guarded_workspace(bytes, name, [&](void* workspace) {
            if (bytes == 0) return plan.execute(data.arguments());
            plan.execute(data.arguments(), workspace);
        });
    });
    if (bytes == 0 || bytes > DirectCall::max_workspace) return;
    // Without the caller's workspace the plan may take another code path.
    compare([&](ProblemData& data) { plan.execute(data.arguments()); });
}

} // namespace

CheckScope check_plan(const Plan& plan, CheckScope scope, const PlanOptions& options) {
    const std::string name = name_of_plan(plan.problem(), plan.schedule());
    switch (scope.kind) {
    case CheckScope::Kind::none: break;
    case CheckScope::Kind::whole:
        compare_with(plan, name, [&](const auto& execute) {
            check_against_definition(plan.problem(), name, execute, options.interrupt);
        });
        break;
    case CheckScope::Kind::sample: {
        SampledExecution batch(*scope.sample, name);
        compare_with(plan, name, [&](const auto& execute) {
            check_against_definition(
                scope.sample->problem(), name, [&](ProblemData& sampled) { batch.run(sampled, execute); },
                options.interrupt);
        });
        break;
    }
    case CheckScope::Kind::shorter_batch: {
        PlanOptions of_shorter = options;
        of_shorter.memory_limit = 0; // the need is in the scope
        return check_shorter_batch(std::move(scope), [&](const Transform& shorter) {
            Plan::build(shorter, plan.schedule(), of_shorter);
        });
    }
    }
    return scope;
}

} // namespace swirl::planning
