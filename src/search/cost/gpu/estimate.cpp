#include "search/cost/gpu/estimate.hpp"

#include "base/error.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "rules/number_theory.hpp"
#include "search/candidates/gpu/measured.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/candidates/gpu/trees.hpp"

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
    if (!has_formula(problem))
        if (auto measured = measured_gpu_pass(problem, pass, gpu)) return measured;
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

planning::Schedule gpu_schedule(const Transform& problem, const target::Gpu& gpu) {
    validate(problem);
    planning::require_gpu_memory(problem, gpu);
    RatedSchedule best{{gpu.name, planning::TransformSchedule{}}};
    const std::vector<std::vector<DimensionPass>> decompositions = gpu_decompositions(problem);
    for (const DimensionPass& pass : decompositions.front()) {
        GpuPassCandidate candidate = best_pass(problem, pass, gpu);
        best.schedule.transform().passes.push_back(std::move(candidate.pass));
        best.seconds += candidate.seconds;
    }
    for (std::size_t k = 1; k < decompositions.size(); ++k)
        if (auto other = fused(problem, gpu, decompositions[k]); other && other->seconds < best.seconds)
            best = std::move(*other);
    return best.schedule;
}

} // namespace swirl::search
