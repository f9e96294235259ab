// Transforms on the CPU by swirl, FFTW and similar libraries.

#include "base/error.hpp"
#include "bench/cpu.hpp"
#include "bench/transform_data.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/target.hpp"
#include "search/timer/cpu/timing.hpp"

#include <utility>

namespace swirl::bench {
namespace {

class CpuTransform : public Measurement {
public:
    CpuTransform(const Transform& problem, const Options& options, const search::HostProbe& probe)
        : data_(problem), options_(options), probe_(probe) {
        if (options.cold) throw UserError("--cold is for GPUs and for products");
    }

    Work plan_swirl(const swirl::Options& planning) override {
        const Plan plan = swirl::plan(data_.problem(), planning);
        return {plan.schedule(), plan.flops(),
                [plan, arguments = data_.arguments()](std::size_t, std::size_t count) {
                    while (count-- > 0) execute(plan, arguments);
                }};
    }

    Work plan_peer(const std::string& name) override {
        const peers::Peer& peer = *peers::parse_peers("--peers", name).at(0);
        peers::PeerPlan planned = peer.plan(data_.problem(), data_.arguments(), options_.peers);
        if (!planned.run) throw Unavailable("{}", planned.absent_because);
        return {planned.made_by, 0, [run = std::move(planned.run)](std::size_t, std::size_t count) {
                    while (count-- > 0) run();
                }};
    }

    std::vector<std::string> best_schedules(std::size_t count) const override {
        const std::vector<planning::DimensionPass> passes = planning::dimension_passes(data_.problem());
        if (passes.size() != 1) throw UserError("a transform of several passes has no list of candidates");
        const target::Cpu& cpu = *std::get<const target::Cpu*>(search::target_of(options_.planning));
        std::vector<std::string> ranked;
        for (search::Candidate& candidate :
             search::candidates(passes[0], cpu, planning::arithmetic_of(data_.problem().precision)))
            ranked.push_back(planning::to_string(planning::Schedule(
                cpu.name, planning::TransformSchedule{{{passes[0].dimension, std::move(candidate.tree)}}})));
        return best_and_others(ranked, count);
    }

    void reset() override { data_.memory().restore(); }
    double distance() override { return data_.distance(); }
    double tolerance() const override { return data_.tolerance(); }

    double flops() const override { return search::pseudo_flops(data_.problem()); }
    Floors floors(double flops) const override {
        const search::Floors of_one_core = search::floors(data_.problem(), flops, probe_);
        const double threads = options_.planning.threads;
        return {of_one_core.arithmetic / threads, of_one_core.traffic / threads};
    }

    std::vector<Times> time(std::span<const Work> works) override {
        const runtime::TimedWork one = data_.memory().timed([] {});
        return time_on_cpu(works, {one.restore, one.restore_every}, options_);
    }

private:
    TransformData data_;
    Options options_;
    const search::HostProbe& probe_;
};

} // namespace

std::unique_ptr<Measurement> measurement_on_cpu(const Transform& problem, const Options& options,
                                                const search::HostProbe& probe) {
    return std::make_unique<CpuTransform>(problem, options, probe);
}

} // namespace swirl::bench
