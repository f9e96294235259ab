// Matrix multiplication on the CPU: BLAS libraries and JIT generators.

#include "base/error.hpp"
#include "bench/cpu.hpp"
#include "bench/product_data.hpp"
#include "peers/matrix_peer.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "search/candidates/cpu/gemm.hpp"
#include "search/target.hpp"
#include "search/timer/cpu/timing.hpp"

#include <swirl/plan.hpp>

#include <algorithm>
#include <cstring>
#include <random>

namespace swirl::bench {
namespace {

/// Sets of operands: the data's own, and copies that together exceed every cache.
class OperandSets {
public:
    OperandSets(const ProductData& data, bool cold) {
        const auto arrays = data.arrays();
        sets_.push_back({arrays[0].data(), arrays[1].data(), arrays[2].data()});
        if (!cold) return;
        std::size_t each = 0;
        for (const auto& array : arrays) each += padded(array.size());
        constexpr std::size_t beyond_caches = std::size_t{64} << 20U;
        copies_ = runtime::AlignedBuffer(each * (beyond_caches / each + 1));
        for (std::byte* at = copies_.as<std::byte>(); at < copies_.as<std::byte>() + copies_.bytes();) {
            std::byte* starts[3];
            for (std::size_t k = 0; k < 3; ++k) {
                starts[k] = at;
                std::memcpy(at, arrays[k].data(), arrays[k].size());
                at += padded(arrays[k].size());
            }
            sets_.push_back({starts[0], starts[1], starts[2]});
        }
        std::shuffle(sets_.begin() + 1, sets_.end(), std::mt19937(1)); // so that none is prefetched
    }

    std::span<const peers::MatrixOperands> all() const { return sets_; }

private:
    /// Matrices do not all start at the same cache set.
    static std::size_t padded(std::size_t bytes) {
        constexpr std::size_t line = 64, padding = 5 * line;
        return (bytes + line - 1) / line * line + padding;
    }

    std::vector<peers::MatrixOperands> sets_;
    runtime::AlignedBuffer copies_;
};

class CpuProduct : public Measurement {
public:
    CpuProduct(const MatrixProduct& product, const Options& options, const search::HostProbe& probe)
        : data_(product), sets_(data_, options.cold), options_(options), probe_(probe) {}

    Work plan_swirl(const swirl::Options& planning) override {
        const Plan plan = swirl::plan(data_.product(), planning);
        return work(plan.schedule(), peers::repeated([plan](const peers::MatrixOperands& o) {
                        plan.execute(1, o.a, o.b, 0, o.c);
                    }));
    }

    Work plan_peer(const std::string& name) override {
        const peers::MatrixPeer& peer = *peers::parse_matrix_peers("--peers", name).at(0);
        const auto call = peers::call_of(data_.product());
        if (!call) throw Unsupported("it has no such product in one call");
        peers::MatrixPlan planned = peer.plan(*call, options_.planning.threads);
        if (!planned.run) throw Unavailable("{}", planned.absent_because);
        return work(planned.made_by, std::move(planned.run));
    }

    std::vector<std::string> best_schedules(std::size_t count) const override {
        const MatrixProduct canonical = planning::canonical(data_.product());
        const target::Cpu& cpu = *std::get<const target::Cpu*>(search::target_of(options_.planning));
        const std::vector<planning::Schedule> ranked = search::ranked_gemm_candidates(
            canonical, cpu, gemm::model_schedule(gemm::operand_types_on(canonical, cpu), cpu));
        std::vector<std::string> texts;
        for (const planning::Schedule& schedule : ranked) texts.push_back(to_string(schedule));
        return best_and_others(texts, count);
    }

    void reset() override { data_.erase_result(); }
    double distance() override { return data_.distance(); }
    double tolerance() const override { return data_.tolerance(options_.planning.accuracy); }

    double flops() const override { return data_.flops(); }
    Floors floors(double) const override {
        const double threads = options_.planning.threads;
        search::Floors of_one_core = search::floors(data_.product(), data_.flops(), probe_);
        // The probe does not measure the rates of narrow types, which lower accuracies allow.
        if (options_.planning.accuracy > Accuracy::ordinary_in_range) of_one_core.arithmetic = 0;
        if (options_.cold)
            of_one_core.traffic = search::compulsory_bytes(data_.product()) / probe_.bandwidth.back().copy;
        return {of_one_core.arithmetic / threads, of_one_core.traffic / threads};
    }

    std::vector<Times> time(std::span<const Work> works) override { return time_on_cpu(works, {}, options_); }

private:
    Work work(std::string made_by, peers::MatrixRun run) const {
        return {std::move(made_by), 0,
                [sets = sets_.all(), run = std::move(run)](std::size_t first, std::size_t count) {
                    if (sets.size() == 1) return run(sets, static_cast<Integer>(count));
                    // The first execution is on the data's own set, which is compared.
                    while (count > 0) {
                        const std::size_t next = first % sets.size(),
                                          used = std::min(count, sets.size() - next);
                        run(sets.subspan(next, used), static_cast<Integer>(used));
                        first += used;
                        count -= used;
                    }
                }};
    }

    ProductData data_;
    OperandSets sets_;
    Options options_;
    const search::HostProbe& probe_;
};

} // namespace

std::unique_ptr<Measurement> measurement_on_cpu(const MatrixProduct& product, const Options& options,
                                                const search::HostProbe& probe) {
    return std::make_unique<CpuProduct>(product, options, probe);
}

} // namespace swirl::bench
