// Transforms on a GPU by swirl, cuFFT and VkFFT.

#include "base/error.hpp"
#include "bench/gpu.hpp"
#include "bench/transform_data.hpp"
#include "peers/cufft.hpp"
#include "peers/vkfft.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/timer/cpu/timing.hpp"

#include <algorithm>

namespace swirl::bench {
namespace {

std::vector<std::span<std::byte>> arrays_of_memory(const planning::ProblemData& memory) {
    std::vector<std::span<std::byte>> arrays;
    for (const planning::GuardedBuffer& buffer : memory.buffers())
        arrays.push_back(buffer.span_of<std::byte>());
    return arrays;
}

/// Constructed before the measurement, which copies its arrays.
struct HasData {
    explicit HasData(const Transform& problem) : data_(problem) {}
    TransformData data_;
};

class GpuTransform : private HasData, public GpuMeasurement {
public:
    GpuTransform(const Transform& problem, const Options& options, const GpuInUse& gpu)
        : HasData(problem), GpuMeasurement(options, gpu, arrays_of_memory(data_.memory())) {}

    Work plan_swirl(const swirl::Options& planning) override {
        const SwirlPlan made = swirl_plan(data_.problem(), planning);
        return work(made.plan.schedule(), made.plan.flops(), [this, made](std::size_t execution) {
            execute(made.plan, arguments(execution), made.stream, made.workspace);
        });
    }

    Work plan_peer(const std::string& name) override {
        if (name == "cufft")
            return peer<peers::CufftPlan>(peers::cufft_absent_because(), peers::cufft_version);
        if (name == "vkfft")
            return peer<peers::VkfftPlan>(peers::vkfft_absent_because(), peers::vkfft_version);
        throw InternalError("peer '{}'", name);
    }

    /// The estimate; then, of each decomposition, the model's best for all passes and its alternatives for each pass: half
    /// of them the next best, the others spread over the rest of the ranking, more of them near its top.
    std::vector<std::string> best_schedules(std::size_t count) const override {
        const target::Gpu& gpu = gpu_.device.target();
        std::vector<std::string> schedules{to_string(search::gpu_schedule(data_.problem(), gpu))};
        const auto add = [&](const planning::Schedule& schedule) {
            const std::string text = to_string(schedule);
            if (std::find(schedules.begin(), schedules.end(), text) == schedules.end())
                schedules.push_back(text);
        };
        for (const auto& decomposition : search::gpu_decompositions(data_.problem())) {
            std::vector<std::vector<search::GpuPassCandidate>> passes;
            planning::Schedule best{gpu.name, planning::TransformSchedule{}};
            for (const planning::DimensionPass& pass : decomposition) {
                passes.push_back(spread(
                    search::gpu_candidates(data_.problem(), pass, gpu, most_ranked, ranked_per_tree), count));
                if (passes.back().empty()) break;
                best.transform().passes.push_back(passes.back().front().pass);
            }
            if (passes.back().empty()) continue;
            for (std::size_t pass = 0; pass < passes.size(); ++pass)
                for (const search::GpuPassCandidate& candidate : passes[pass]) {
                    planning::Schedule other = best;
                    other.transform().passes[pass] = candidate.pass;
                    add(other);
                }
        }
        return schedules;
    }

    void reset() override {
        data_.memory().restore();
        upload();
    }
    double distance() override {
        download();
        return data_.distance();
    }
    double tolerance() const override { return data_.tolerance(); }

    double flops() const override { return search::pseudo_flops(data_.problem()); }
    Floors floors(double) const override { return floors_for(search::compulsory_bytes(data_.problem())); }

private:
    static constexpr std::size_t most_ranked = 2000, ranked_per_tree = 30;

    static std::vector<search::GpuPassCandidate> spread(std::vector<search::GpuPassCandidate> ranked,
                                                        std::size_t count) {
        if (ranked.size() <= count) return ranked;
        std::vector<search::GpuPassCandidate> result;
        const std::size_t next_best = (count + 1) / 2, others = count - next_best;
        for (std::size_t k = 0; k < next_best; ++k) result.push_back(std::move(ranked[k]));
        for (std::size_t k = 0; k < others; ++k)
            result.push_back(
                std::move(ranked[next_best + k + k * k * (ranked.size() - count) / (others * others)]));
        return result;
    }

    planning::Arguments arguments(std::size_t execution) const {
        const planning::Arguments host = data_.arguments();
        return {address(host.input, execution), address(host.output, execution),
                address(host.input_imaginary, execution), address(host.output_imaginary, execution)};
    }

    template <class PeerPlan> Work peer(const std::string& absent_because, std::string (*version)()) {
        if (!absent_because.empty()) throw Unavailable("{}", absent_because);
        const auto plan =
            std::make_shared<const PeerPlan>(data_.problem(), gpu_.device, gpu_.stream.handle());
        return work(version(), 0, [this, plan](std::size_t execution) {
            const planning::Arguments at = arguments(execution);
            plan->execute(at.input, at.output);
        });
    }
};

} // namespace

std::unique_ptr<Measurement> measurement_on_gpu(const Transform& problem, const Options& options,
                                                const GpuInUse& gpu) {
    return std::make_unique<GpuTransform>(problem, options, gpu);
}

} // namespace swirl::bench
