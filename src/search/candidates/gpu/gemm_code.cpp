#include "search/candidates/gpu/gemm_code.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/operand_types.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

namespace {

/// Margin for errors of the model's clock and of the issue model.
constexpr double clearly_faster_code = 1.1;

/// Real scalars per element.
double scalars_of(const MatrixProduct& product) { return is_complex(product.data_type) ? 4 : 1; }

double multiply_adds_of(const MatrixProduct& product) {
    return scalars_of(product) * static_cast<double>(product.rows) * static_cast<double>(product.columns) *
           static_cast<double>(product.k) * static_cast<double>(product.batch);
}

/// Whether this is the main loop of a SIMT kernel. If all k-tiles are unrolled, the loop may be another one.
bool multiplies(const sass::LoopScore& loop, const MatrixProduct& product,
                const gemm::GpuGemmSchedule& schedule) {
    const auto* const simt = std::get_if<gemm::SimtGemm>(&schedule);
    if (simt == nullptr || simt->is_mma()) return false;
    const double per_k = scalars_of(product) * simt->thread_tile.m * simt->thread_tile.n;
    return static_cast<double>(loop.multiply_adds) >= per_k * simt->cta_tile.k / simt->sliced_k;
}

/// Small differences in spill counts between similar loops are noise.
bool spills_matter(const CompiledGemm& code, long long usual) {
    constexpr long long fraction = 100; // of the instructions, as 1/fraction
    const long long instructions =
        code.score->loop ? code.score->loop->instructions : code.score->instructions;
    return spills_of(code) > usual + instructions / fraction;
}

/// Scheduler cycles per iteration of one of its warps.
double cycles_of(const sass::KernelScore& score, const MatrixProduct& product, const gemm::SimtGemm& schedule,
                 const target::Gpu& gpu) {
    const int warps =
        target::occupancy(gpu, schedule.threads(), score.registers, gemm::shared_bytes(schedule, product))
            .warps;
    const double of_scheduler = static_cast<double>(std::max(warps, 1)) / gpu.partitions;
    return std::max(static_cast<double>(score.loop->issue_cycles),
                    static_cast<double>(score.loop->single_warp_cycles) / std::max(of_scheduler, 1.0));
}

} // namespace

double min_seconds(const sass::KernelScore& score, const MatrixProduct& product,
                   const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    if (!score.loop || !multiplies(*score.loop, product, schedule)) return 0;
    const gemm::ModelRates rates = gemm::model_rates(gpu);
    const double of_iteration = static_cast<double>(score.loop->multiply_adds) * gpu.warp_size;
    const double schedulers = rates.multiprocessors * gpu.partitions;
    return multiply_adds_of(product) / of_iteration *
           cycles_of(score, product, std::get<gemm::SimtGemm>(schedule), gpu) / schedulers / rates.hertz;
}

long long spills_of(const CompiledGemm& code) {
    if (!code.score) return 0;
    return code.score->loop ? code.score->loop->spills() : code.score->spills;
}

std::optional<std::string> reason_not_to_time(const CompiledGemm& code, const MatrixProduct& product,
                                              const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu,
                                              const GpuGemmIncumbent& best) {
    if (!code.failed_because.empty()) return code.failed_because;
    if (!code.not_reordered_because.empty())
        return fmt::format("the main loop stays as compiled: {}", code.not_reordered_because);
    if (!code.score) return std::nullopt;
    if (spills_matter(code, best.spills))
        return fmt::format("{} loads and stores of spilled registers in {}", spills_of(code),
                           code.score->loop ? "the main loop" : "the kernel");
    const double least = min_seconds(*code.score, product, schedule, gpu);
    if (least > clearly_faster_code * best.seconds)
        return fmt::format("its main loop alone takes {:.3g} s, the fastest so far {:.3g} s", least,
                           best.seconds);
    return std::nullopt;
}

TimingOrder timing_order(std::span<const CompiledGemm> codes,
                         std::span<const gemm::GpuGemmSchedule> schedules, const MatrixProduct& product,
                         const target::Gpu& gpu, double incumbent_seconds) {
    TimingOrder result;
    std::vector<double> expected(codes.size());
    for (std::size_t k = 1; k < codes.size(); ++k) {
        expected[k] = expected_seconds(codes[k], product, schedules[k], gpu);
        auto why = reason_not_to_time(codes[k], product, schedules[k], gpu,
                                      {incumbent_seconds, spills_of(codes.front())});
        if (why)
            result.left_out.emplace_back(k, *std::move(why));
        else
            result.worth_timing.push_back(k);
    }
    std::ranges::stable_sort(result.worth_timing, {}, [&](std::size_t k) { return expected[k]; });
    return result;
}

double expected_seconds(const CompiledGemm& code, const MatrixProduct& product,
                        const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    const double modelled = gemm::gpu_seconds(product, schedule, gpu);
    return code.score ? std::max(modelled, min_seconds(*code.score, product, schedule, gpu)) : modelled;
}

} // namespace swirl::search
