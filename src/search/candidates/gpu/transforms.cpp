#include "search/candidates/gpu/transforms.hpp"

#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace swirl::search {

using planning::PassSchedule;
using planning::Schedule;

namespace {

/// Candidates per pass.
constexpr std::size_t likely_candidates = 24, all_candidates = 1000;
constexpr int rounds_on_gpu = 3;

/// A decomposition of the problem into passes, with the candidates for each pass, the model's best first.
using Decomposition = std::vector<std::vector<PassSchedule>>;

std::vector<Decomposition> decompositions_of(const Transform& problem, const GpuTransformOptions& options) {
    const std::size_t most = options.exhaustive ? all_candidates : likely_candidates;
    std::vector<Decomposition> result;
    for (const std::vector<planning::DimensionPass>& passes : gpu_decompositions(problem)) {
        Decomposition decomposition;
        for (const planning::DimensionPass& pass : passes) {
            decomposition.emplace_back();
            for (GpuPassCandidate& candidate : gpu_candidates(problem, pass, options.gpu, most))
                decomposition.back().push_back(std::move(candidate.pass));
        }
        if (std::none_of(decomposition.begin(), decomposition.end(),
                         [](const auto& pass) { return pass.empty(); }))
            result.push_back(std::move(decomposition));
    }
    return result;
}

std::vector<PassSchedule> best_passes(const Decomposition& decomposition) {
    std::vector<PassSchedule> best;
    for (const auto& pass : decomposition) best.push_back(pass.front());
    return best;
}

/// The space of one transform.
class GpuTransformSpace {
public:
    GpuTransformSpace(const Transform& problem, GpuTransformOptions options)
        : problem_(problem), options_(std::move(options)) {}

    const GpuTransformOptions& options() const { return options_; }

    /// Ordered by model rank across all passes, because the time budget may run out.
    std::vector<Schedule> proposals() {
        decompositions_ = decompositions_of(problem_, options_);
        std::vector<Schedule> result = options_.others;
        std::size_t ranks = 0;
        for (const Decomposition& decomposition : decompositions_)
            for (const auto& pass : decomposition) ranks = std::max(ranks, pass.size());
        for (std::size_t rank = 0; rank < ranks; ++rank)
            for (const Decomposition& decomposition : decompositions_)
                for (std::size_t k = 0; k < decomposition.size(); ++k) {
                    if (rank >= decomposition[k].size()) continue;
                    std::vector<PassSchedule> passes = best_passes(decomposition);
                    passes[k] = decomposition[k][rank];
                    result.emplace_back(schedule_of(std::move(passes)));
                }
        return result;
    }

    /// For each decomposition, the combination of its fastest passes.
    std::vector<Schedule> winning_passes(std::span<const ScheduleCandidate> timed) const {
        std::vector<Schedule> result;
        for (const Decomposition& decomposition : decompositions_) {
            if (decomposition.size() < 2) continue;
            const std::vector<PassSchedule> best = best_passes(decomposition);
            std::vector<PassSchedule> combined = best;
            for (std::size_t k = 0; k < best.size(); ++k) {
                double fastest = std::numeric_limits<double>::infinity();
                for (const ScheduleCandidate& candidate : timed) { // differs in this pass alone
                    const std::vector<PassSchedule>& passes = candidate.schedule.transform().passes;
                    if (passes.size() != best.size() || candidate.seconds >= fastest) continue;
                    std::vector<PassSchedule> alone = best;
                    alone[k] = passes[k];
                    if (alone != passes) continue;
                    fastest = candidate.seconds;
                    combined[k] = passes[k];
                }
            }
            result.emplace_back(schedule_of(std::move(combined)));
        }
        return result;
    }

private:
    Schedule schedule_of(std::vector<PassSchedule> passes) const {
        return {options_.gpu.name, planning::TransformSchedule{std::move(passes)}};
    }

    const Transform& problem_;
    GpuTransformOptions options_;
    std::vector<Decomposition> decompositions_;
};

} // namespace

SearchSpace gpu_transform_space(const Transform& problem, GpuTransformOptions options) {
    const auto space = std::make_shared<GpuTransformSpace>(problem, std::move(options));
    SearchSpace result{.estimate = gpu_schedule(problem, space->options().gpu)};
    result.proposals = [space](Benchmark&, double) { return space->proposals(); };
    result.actions = {
        {"fastest passes",
         [space](const Schedule&, std::span<const ScheduleCandidate> timed) {
             return space->winning_passes(timed);
         }},
        {"launch configuration",
         [space](const Schedule& incumbent, auto) {
             return configuration_neighbours(incumbent, space->options().gpu);
         }},
        {"order of radices",
         [](const Schedule& incumbent, auto) { return radix_order_neighbours(incumbent); }},
    };
    result.rounds = space->options().exhaustive ? std::numeric_limits<int>::max() : rounds_on_gpu;
    return result;
}

} // namespace swirl::search
