#include "search/gpu_estimate.hpp"

#include "base/error.hpp"
#include "plan/steps.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "rules/number_theory.hpp"
#include "search/gpu_candidates.hpp"
#include "search/gpu_measured.hpp"
#include "search/gpu_trees.hpp"

#include <optional>
#include <utility>

namespace swirl::search {

using planning::Stage;
using planning::StepRecipe;

namespace {

[[noreturn]] void not_yet(const Problem& problem, const std::string& what) {
    throw UserError("not yet on GPUs: {}\n  problem: {}\n  a plan for the CPU can compute it", what,
                    to_text(problem));
}

std::optional<GpuCandidate> find_best_step(const Problem& problem, const Stage& stage,
                                           const target::Gpu& gpu) {
    if (auto measured = measured_gpu_step(problem, stage, gpu)) return measured;
    const std::vector<GpuCandidate> candidates = gpu_candidates(problem, stage, gpu, 1);
    if (candidates.empty()) return std::nullopt;
    return candidates.front();
}

GpuCandidate best_step(const Problem& problem, const Stage& stage, const target::Gpu& gpu) {
    if (auto best = find_best_step(problem, stage, gpu)) return *best;
    const Integer n = stage.nonterminal.rows(), prime = rules::largest_prime_factor(n);
    if (prime > largest_gpu_prime && !stage.nonterminal.is<formula::Dft>())
        not_yet(problem,
                fmt::format("a transform of {} points, which has the prime factor {}; primes go up to {}", n,
                            prime, largest_gpu_prime));
    not_yet(problem,
            fmt::format("{} of {} points along one dimension (shared memory of a block is {} bytes on {})",
                        name_of(problem.kind), n, gpu.shared_bytes_per_block_at_most, gpu.name));
}

/// The recipe whose first step does the two innermost dimensions at once, if that is better than `seconds`.
std::optional<planning::Recipe> with_fused_plane(const Problem& problem, const target::Gpu& gpu,
                                                 const std::vector<Stage>& stages, double seconds) {
    planning::Recipe recipe{std::string(gpu.name), {}};
    double fused = 0;
    for (const Stage& stage : stages) {
        auto best = find_best_step(problem, stage, gpu);
        if (!best) return std::nullopt;
        recipe.steps.push_back(std::move(best->step));
        fused += best->seconds;
    }
    if (fused >= seconds) return std::nullopt;
    return recipe;
}

} // namespace

std::vector<std::vector<Stage>> gpu_stagings(const Problem& problem) {
    std::vector<std::vector<Stage>> result{planning::stages(problem, planning::Fusion::none)};
    if (problem.kind != TransformKind::dft || result.front().size() < 2) return result;
    std::size_t first = problem.dimensions.size();
    for (int found = 0; found < 2;) found += problem.dimensions[--first].length > 1;
    result.push_back(planning::stages(problem, first));
    return result;
}

planning::Recipe gpu_recipe(const Problem& problem, const target::Gpu& gpu) {
    validate(problem);
    planning::Recipe recipe{std::string(gpu.name), {}};
    double seconds = 0;
    const std::vector<std::vector<Stage>> stagings = gpu_stagings(problem);
    for (const Stage& stage : stagings.front()) {
        GpuCandidate best = best_step(problem, stage, gpu);
        recipe.steps.push_back(std::move(best.step));
        seconds += best.seconds;
    }
    if (stagings.size() == 1) return recipe;
    const auto fused = with_fused_plane(problem, gpu, stagings.back(), seconds);
    return fused ? *fused : recipe;
}

} // namespace swirl::search
