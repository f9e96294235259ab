#include "search/estimated_cost.hpp"

#include "plan/transform/dimension_passes.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/gpu/estimate.hpp"

namespace swirl::search {

double estimated_cost(const Transform& problem, const Target& target) {
    if (const auto* gpu = std::get_if<GpuTarget>(&target))
        return gpu_schedules(problem, gpu->identity.gpu, 1).front().seconds;
    const target::Cpu& cpu = *std::get<const target::Cpu*>(target);
    const DataType scalar = planning::arithmetic_of(problem.precision);
    double cycles = 0;
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem))
        cycles += candidates(pass, cpu, scalar).front().cycles;
    return cycles;
}

} // namespace swirl::search
