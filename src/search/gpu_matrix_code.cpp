#include "search/gpu_matrix_code.hpp"

#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

namespace {

/// The model's clock may be as much too slow, and the model of issue as much wrong.
constexpr double clearly = 1.1;

/// Of real numbers, for each of the product's own.
double scalars_of(const MatrixProduct& product) { return is_complex(product.number) ? 4 : 1; }

double multiply_adds_of(const MatrixProduct& product) {
    return scalars_of(product) * static_cast<double>(product.rows) * static_cast<double>(product.columns) *
           static_cast<double>(product.depth) * static_cast<double>(product.batch);
}

/// Whether it is threads that multiply, in this loop; where all pieces are unrolled it may be another one.
bool multiplies(const machine::LoopScore& loop, const MatrixProduct& product,
                const gemm::GpuSchedule& schedule) {
    if (schedule.has_tiles() || schedule.warp_depth > 0) return false;
    const double of_step = scalars_of(product) * schedule.thread_rows * schedule.thread_columns;
    return static_cast<double>(loop.multiply_adds) >= of_step * schedule.block_depth / schedule.slices;
}

/// Loops of the same kind spill now some registers more and now some less.
bool spills_matter(const GpuMatrixCode& code, long long usual) {
    constexpr long long part = 100; // of the instructions
    const long long instructions =
        code.score->loop ? code.score->loop->instructions : code.score->instructions;
    return spills_of(code) > usual + instructions / part;
}

/// Of a scheduler, for one iteration of one of its warps.
double cycles_of(const machine::KernelScore& score, const MatrixProduct& product,
                 const gemm::GpuSchedule& schedule, const target::Gpu& gpu) {
    const int warps =
        target::occupancy(gpu, schedule.threads(), score.registers, gemm::shared_bytes(schedule, product))
            .warps;
    const double of_scheduler = static_cast<double>(std::max(warps, 1)) / gpu.partitions;
    return std::max(static_cast<double>(score.loop->issue_cycles),
                    static_cast<double>(score.loop->lone_cycles) / std::max(of_scheduler, 1.0));
}

} // namespace

double least_seconds(const machine::KernelScore& score, const MatrixProduct& product,
                     const gemm::GpuSchedule& schedule, const target::Gpu& gpu) {
    if (!score.loop || !multiplies(*score.loop, product, schedule)) return 0;
    const gemm::GpuRates rates = gemm::gpu_rates(gpu);
    const double of_iteration = static_cast<double>(score.loop->multiply_adds) * gpu.warp_size;
    const double schedulers = rates.multiprocessors * gpu.partitions;
    return multiply_adds_of(product) / of_iteration * cycles_of(score, product, schedule, gpu) / schedulers /
           rates.hertz;
}

long long spills_of(const GpuMatrixCode& code) {
    if (!code.score) return 0;
    return code.score->loop ? code.score->loop->spills() : code.score->spills;
}

std::optional<std::string> objection_to_timing(const GpuMatrixCode& code, const MatrixProduct& product,
                                               const gemm::GpuSchedule& schedule, const target::Gpu& gpu,
                                               const GpuMatrixBest& best) {
    if (!code.failed_because.empty()) return code.failed_because;
    if (!code.loop_kept_because.empty())
        return fmt::format("the main loop stays as compiled: {}", code.loop_kept_because);
    if (!code.score) return std::nullopt;
    if (spills_matter(code, best.spills))
        return fmt::format("{} loads and stores of spilled registers in {}", spills_of(code),
                           code.score->loop ? "the main loop" : "the kernel");
    const double least = least_seconds(*code.score, product, schedule, gpu);
    if (least > clearly * best.seconds)
        return fmt::format("its main loop alone takes {:.3g} s, the fastest so far {:.3g} s", least,
                           best.seconds);
    return std::nullopt;
}

double expected_seconds(const GpuMatrixCode& code, const MatrixProduct& product,
                        const gemm::GpuSchedule& schedule, const target::Gpu& gpu) {
    const double modelled = gemm::gpu_seconds(product, schedule, gpu);
    return code.score ? std::max(modelled, least_seconds(*code.score, product, schedule, gpu)) : modelled;
}

} // namespace swirl::search
