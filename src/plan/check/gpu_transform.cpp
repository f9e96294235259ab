#include "plan/check/gpu_transform.hpp"

#include "base/error.hpp"
#include "plan/check/gpu_problem_data.hpp"
#include "plan/check/gpu_sampled_execution.hpp"
#include "plan/check/guarded_gpu_buffer.hpp"
#include "plan/check/transform.hpp"
#include "plan/check/write_watch.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace swirl::planning {

namespace {

/// Waits for the execution. A workspace lies between redzones.
void execute_in_guarded_workspace(const GpuPlan& plan, const Arguments& arguments, const std::string& name) {
    const std::size_t bytes = plan.workspace_bytes();
    if (bytes == 0) {
        plan.execute(arguments, nullptr);
        return plan.device().synchronize();
    }
    const GuardedGpuBuffer workspace(plan.device(), bytes);
    plan.execute(arguments, nullptr, {reinterpret_cast<void*>(workspace.address()), bytes});
    plan.device().synchronize();
    require_intact_redzones(workspace.written_in_redzones(), bytes, name);
}

} // namespace

CheckScope check_plan(const GpuPlan& plan, CheckScope scope, const GpuPlanOptions& options) {
    const std::string name = name_of_plan(plan.problem(), plan.schedule());
    switch (scope.kind) {
    case CheckScope::Kind::none: break;
    case CheckScope::Kind::whole:
        check_against_definition(
            plan.problem(), name,
            [&](ProblemData& data) {
                GpuProblemData there(plan.device(), data, GpuProblemData::Redzones::copied);
                there.copy_from(data);
                execute_in_guarded_workspace(plan, there.arguments(), name);
                there.copy_to(data);
            },
            options.interrupt);
        break;
    case CheckScope::Kind::sample: {
        GpuSampledExecution batch(plan.device(), *scope.sample, name);
        check_against_definition(
            scope.sample->problem(), name,
            [&](ProblemData& sampled) {
                batch.run(sampled, [&](const Arguments& arguments) {
                    execute_in_guarded_workspace(plan, arguments, name);
                });
            },
            options.interrupt);
        break;
    }
    case CheckScope::Kind::shorter_batch: {
        GpuPlanOptions of_shorter = options;
        of_shorter.memory_limit = 0; // the need is in the scope
        return check_shorter_batch(std::move(scope), [&](const Transform& shorter) {
            GpuPlan::build(shorter, plan.schedule(), plan.device(), of_shorter);
        });
    }
    }
    return scope;
}

} // namespace swirl::planning
