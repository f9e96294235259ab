#include "search/cost/gpu/estimate.hpp"

#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "rules/number_theory.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/candidates/gpu/trees.hpp"
#include "search/cost/cpu/estimate.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace swirl::search {

using planning::DimensionPass;
using planning::PassSchedule;

namespace {

[[noreturn]] void not_yet(const Transform& problem, const std::string& what) {
    const bool cpus_can = problem.kind != TransformKind::convolution && bytes_of(problem.precision) >= 4 &&
                          problem.load.is_identity() && problem.store.is_identity();
    throw UserError("not yet on GPUs: {}\n  problem: {}\n  {}", what, to_text(problem),
                    cpus_can ? "a plan for the CPU can compute it"
                             : "use a shorter length, or one whose prime factors are up to 31");
}

std::optional<GpuPassCandidate> find_best_pass(const Transform& problem, const DimensionPass& pass,
                                               const target::Gpu& gpu) {
    const std::vector<GpuPassCandidate> candidates = gpu_candidates(problem, pass, gpu, 1);
    if (candidates.empty()) return std::nullopt;
    return candidates.front();
}

GpuPassCandidate best_pass(const Transform& problem, const DimensionPass& pass, const target::Gpu& gpu) {
    if (auto best = find_best_pass(problem, pass, gpu)) return *best;
    if (has_formula(problem))
        throw Unsupported(
            "no kernels of {} compute this formula: one of its transforms or vectors does not fit in a "
            "block's shared "
            "memory\n  problem: {}\n  use shorter transforms in it, or a plan for the CPU",
            gpu.name, to_text(problem));
    const Integer n = pass.nonterminal.rows(), prime = rules::largest_prime_factor(n);
    not_yet(problem,
            fmt::format("no kernels for {} of {} points along one dimension{} within the limits of {}",
                        name_of(problem.kind), n,
                        prime > largest_gpu_prime ? fmt::format(", with the prime factor {},", prime) : "",
                        gpu.name));
}

struct RatedSchedule {
    planning::Schedule schedule;
    double seconds = 0;
};

/// The best fused schedule for a decomposition whose first pass covers several dimensions, if one exists.
std::optional<RatedSchedule> fused(const Transform& problem, const target::Gpu& gpu,
                                   const std::vector<DimensionPass>& passes) {
    RatedSchedule result{{gpu.name, planning::TransformSchedule{}}};
    for (const DimensionPass& pass : passes) {
        auto best = find_best_pass(problem, pass, gpu);
        if (!best) return std::nullopt;
        result.schedule.transform().passes.push_back(std::move(best->pass));
        result.seconds += best->seconds;
    }
    return result;
}

} // namespace

std::vector<std::vector<DimensionPass>> gpu_decompositions(const Transform& problem) {
    std::vector<std::vector<DimensionPass>> result{
        planning::dimension_passes(problem, planning::Fusion::none)};
    if (problem.kind != TransformKind::dft || result.front().size() < 2) return result;
    std::vector<std::size_t> longer; // dimensions of more than one point
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k)
        if (problem.dimensions[k].length > 1) longer.push_back(k);
    for (const std::size_t together : {2, 3})
        if (together <= longer.size())
            result.push_back(planning::dimension_passes(problem, longer[longer.size() - together]));
    return result;
}

namespace {

/// The best schedule of each decomposition that has kernels, and the passes that it has; one kernel per dimension first.
struct Rated {
    RatedSchedule best;
    std::vector<DimensionPass> passes;
};
std::vector<Rated> rated_decompositions(const Transform& problem, const target::Gpu& gpu) {
    validate(problem);
    planning::require_gpu_memory(problem, gpu);
    std::vector<std::vector<DimensionPass>> decompositions = gpu_decompositions(problem);
    RatedSchedule separate{{gpu.name, planning::TransformSchedule{}}};
    for (const DimensionPass& pass : decompositions.front()) {
        GpuPassCandidate candidate = best_pass(problem, pass, gpu);
        separate.schedule.transform().passes.push_back(std::move(candidate.pass));
        separate.seconds += candidate.seconds;
    }
    std::vector<Rated> result;
    result.push_back({std::move(separate), std::move(decompositions.front())});
    for (std::size_t k = 1; k < decompositions.size(); ++k)
        if (auto other = fused(problem, gpu, decompositions[k]))
            result.push_back({std::move(*other), std::move(decompositions[k])});
    return result;
}

/// The first of the fastest.
std::size_t fastest_of(const std::vector<Rated>& all) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < all.size(); ++k)
        if (all[k].best.seconds < all[best].best.seconds) best = k;
    return best;
}

std::string times_the_cost(double seconds, double chosen) {
    return fmt::format("estimated at {:.2f} times the cost", seconds / chosen);
}

/// The best other candidates for a pass: other breakdowns, or other launch configurations of the chosen one.
void add_other_candidates(Choice& choice, const Transform& problem, const DimensionPass& pass,
                          const PassSchedule& chosen, const target::Gpu& gpu) {
    constexpr std::size_t most = 8;
    const std::vector<GpuPassCandidate> all = gpu_candidates(problem, pass, gpu, most);
    const auto of_chosen =
        std::find_if(all.begin(), all.end(), [&](const auto& candidate) { return candidate.pass == chosen; });
    for (const GpuPassCandidate& candidate : all) {
        if (candidate.pass == chosen) continue;
        const std::string what =
            to_string(planning::Schedule(gpu.name, planning::TransformSchedule{{candidate.pass}}));
        const std::string why = of_chosen != all.end() ? times_the_cost(candidate.seconds, of_chosen->seconds)
                                                       : "the model ranks it lower";
        choice.rejections.push_back({what, why});
    }
}

} // namespace

planning::Schedule gpu_schedule(const Transform& problem, const target::Gpu& gpu) {
    const std::vector<Rated> all = rated_decompositions(problem, gpu);
    return all[fastest_of(all)].best.schedule;
}

Choice estimate(const Transform& problem, const target::Gpu& gpu) {
    const std::vector<Rated> all = rated_decompositions(problem, gpu);
    const std::size_t fastest = fastest_of(all);
    const Rated& chosen = all[fastest];
    Choice choice{chosen.best.schedule, chosen.best.seconds, {}};
    for (std::size_t k = 0; k < all.size(); ++k)
        if (k != fastest)
            choice.rejections.push_back({planning::to_string(all[k].best.schedule),
                                         times_the_cost(all[k].best.seconds, chosen.best.seconds)});
    for (std::size_t k = 0; k < chosen.passes.size(); ++k) {
        add_other_candidates(choice, problem, chosen.passes[k], chosen.best.schedule.transform().passes[k],
                             gpu);
        for (Rejection& rejection : inapplicable_rules(chosen.passes[k].nonterminal))
            choice.rejections.push_back(std::move(rejection));
    }
    return choice;
}

} // namespace swirl::search
