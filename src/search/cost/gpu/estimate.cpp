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

/// Throws Unsupported, which says why no kernel computes the pass.
[[noreturn]] void no_kernels(const Transform& problem, const DimensionPass& pass, const target::Gpu& gpu) {
    if (has_formula(problem))
        throw Unsupported(
            "{} cannot compute this formula: one of its transforms or vectors does not fit in a "
            "block's shared "
            "memory\n  problem: {}\n  use shorter transforms in it, or a plan for the CPU",
            gpu.name, to_text(problem));
    const Integer n = pass.nonterminal.rows(), prime = rules::largest_prime_factor(n);
    throw Unsupported(
        "{} has no kernels for {} of {} points along one dimension{} within its limits\n  problem: {}\n  a "
        "plan for the CPU can compute it",
        gpu.name, name_of(kind_along(problem, pass.dimension)), n,
        prime > largest_gpu_prime ? fmt::format(", with the prime factor {},", prime) : "", to_text(problem));
}

} // namespace

std::vector<std::vector<DimensionPass>> gpu_decompositions(const Transform& problem) {
    std::vector<std::vector<DimensionPass>> result{
        planning::dimension_passes(problem, planning::Fusion::none)};
    for (const std::size_t together : {2, 3})
        if (const auto first = planning::first_fused_of(problem, together))
            result.push_back(planning::dimension_passes(problem, *first));
    return result;
}

namespace {

/// A decomposition whose passes all have kernels: these candidates for each pass, the model's best first.
struct RatedDecomposition {
    std::vector<DimensionPass> passes;
    std::vector<std::vector<GpuPassCandidate>> candidates;

    /// The best candidates, but another one for one pass.
    RatedGpuSchedule with(std::size_t pass, std::size_t rank, const target::Gpu& gpu) const {
        RatedGpuSchedule result{{gpu.name, planning::TransformSchedule{}}, 0};
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const GpuPassCandidate& candidate = candidates[k][k == pass ? rank : 0];
            result.schedule.transform().passes.push_back(candidate.pass);
            result.seconds += candidate.seconds;
        }
        return result;
    }
};

/// One kernel per dimension first. Up to `most` candidates for each pass.
std::vector<RatedDecomposition> rated_decompositions(const Transform& problem, const target::Gpu& gpu,
                                                     std::size_t most) {
    validate(problem);
    planning::require_gpu_memory(problem, gpu);
    std::vector<RatedDecomposition> result;
    for (std::vector<DimensionPass>& passes : gpu_decompositions(problem)) {
        RatedDecomposition rated{std::move(passes), {}};
        for (const DimensionPass& pass : rated.passes) {
            std::vector<GpuPassCandidate> candidates = gpu_candidates(problem, pass, gpu, most);
            if (candidates.empty()) {
                if (result.empty()) no_kernels(problem, pass, gpu);
                break;
            }
            rated.candidates.push_back(std::move(candidates));
        }
        if (rated.candidates.size() == rated.passes.size()) result.push_back(std::move(rated));
    }
    return result;
}

bool is_faster(const RatedGpuSchedule& a, const RatedGpuSchedule& b) { return a.seconds < b.seconds; }

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
        choice.rejections.push_back({.what = what, .why = why, .seconds = candidate.seconds});
    }
}

} // namespace

std::vector<RatedGpuSchedule> gpu_schedules(const Transform& problem, const target::Gpu& gpu,
                                            std::size_t most) {
    std::vector<RatedGpuSchedule> result;
    for (const RatedDecomposition& decomposition : rated_decompositions(problem, gpu, most)) {
        result.push_back(decomposition.with(0, 0, gpu));
        for (std::size_t pass = 0; pass < decomposition.passes.size(); ++pass)
            for (std::size_t rank = 1; rank < decomposition.candidates[pass].size(); ++rank)
                result.push_back(decomposition.with(pass, rank, gpu));
    }
    std::stable_sort(result.begin(), result.end(), is_faster);
    if (result.size() > most) result.erase(result.begin() + static_cast<std::ptrdiff_t>(most), result.end());
    return result;
}

planning::Schedule gpu_schedule(const Transform& problem, const target::Gpu& gpu) {
    return gpu_schedules(problem, gpu, 1).front().schedule;
}

Choice estimate(const Transform& problem, const target::Gpu& gpu) {
    const std::vector<RatedDecomposition> decompositions = rated_decompositions(problem, gpu, 1);
    std::vector<RatedGpuSchedule> all;
    for (const RatedDecomposition& each : decompositions) all.push_back(each.with(0, 0, gpu));
    const auto fastest =
        static_cast<std::size_t>(std::min_element(all.begin(), all.end(), is_faster) - all.begin());
    const RatedGpuSchedule& chosen = all[fastest];
    Choice choice{chosen.schedule, chosen.seconds, {}};
    for (std::size_t k = 0; k < all.size(); ++k)
        if (k != fastest)
            choice.rejections.push_back({.what = planning::to_string(all[k].schedule),
                                         .why = times_the_cost(all[k].seconds, chosen.seconds),
                                         .seconds = all[k].seconds});
    for (std::size_t k = 0; k < decompositions[fastest].passes.size(); ++k) {
        const DimensionPass& pass = decompositions[fastest].passes[k];
        add_other_candidates(choice, problem, pass, chosen.schedule.transform().passes[k], gpu);
        for (Rejection& rejection : inapplicable_rules(pass.nonterminal))
            choice.rejections.push_back(std::move(rejection));
    }
    return choice;
}

} // namespace swirl::search
