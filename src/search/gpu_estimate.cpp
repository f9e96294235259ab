#include "search/gpu_estimate.hpp"

#include "base/error.hpp"
#include "plan/steps.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "rules/number_theory.hpp"
#include "search/gpu_candidates.hpp"
#include "search/gpu_trees.hpp"

namespace swirl::search {

using planning::Stage;
using planning::StepRecipe;

namespace {

[[noreturn]] void not_yet(const Problem& problem, const std::string& what) {
    throw UserError("not yet on GPUs: {}\n  problem: {}\n  a plan for the CPU can compute it", what,
                    to_text(problem));
}

StepRecipe best_step(const Problem& problem, const Stage& stage, const target::Gpu& gpu) {
    const std::vector<GpuCandidate> candidates = gpu_candidates(problem, stage, gpu, 1);
    if (!candidates.empty()) return candidates.front().step;
    const Integer n = stage.nonterminal.rows(), prime = rules::largest_prime_factor(n);
    if (prime > largest_gpu_prime)
        not_yet(problem,
                fmt::format("a transform of {} points, which has the prime factor {}; primes go up to {}", n,
                            prime, largest_gpu_prime));
    not_yet(problem,
            fmt::format("{} of {} points along one dimension (shared memory of a block is {} bytes on {})",
                        name_of(problem.kind), n, gpu.shared_bytes_per_block_at_most, gpu.name));
}

} // namespace

planning::Recipe gpu_recipe(const Problem& problem, const target::Gpu& gpu) {
    validate(problem);
    planning::Recipe recipe{std::string(gpu.name), {}};
    for (const Stage& stage : planning::stages(problem, planning::Fusion::none))
        recipe.steps.push_back(best_step(problem, stage, gpu));
    return recipe;
}

} // namespace swirl::search
