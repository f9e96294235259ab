#include "cli/explain/batched.hpp"

#include "cli/explain/gpu_gemm_common.hpp"
#include "cli/table.hpp"
#include "gemm/gpu/batched/layout.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/schedule.hpp"

#include <swirl/matrix_product.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {
namespace {

/// Registers as the driver reports them, else as estimated.
int registers_of(const BatchedExplanation& explanation, const gemm::CanonicalBatchedGemm& gemm) {
    return explanation.kernel.registers > 0 ? explanation.kernel.registers : gemm::batched_registers(gemm);
}

std::string text_of_threads(const BatchedExplanation& explanation, const gemm::CanonicalBatchedGemm& gemm) {
    const gemm::Extents& tile = explanation.schedule.thread_tile;
    const MatrixProduct& product = gemm.product();
    const double held = static_cast<double>(gemm.threads()) * tile.m * tile.n;
    const double used =
        static_cast<double>(product.rows * product.columns * explanation.schedule.matrices) / held;
    Table table({"per thread and k index", ""});
    table.add({"multiply-adds", std::to_string(tile.m * tile.n)});
    table.add({"elements of A", fmt::format("{}, in vectors of {}", tile.m, gemm.a.vector)});
    table.add({"elements of B", fmt::format("{}, in vectors of {}", tile.n, gemm.b.vector)});
    return fmt::format(
        "threads    {} of a block: {} × {} of each of {} matrices; {:.0f}% of their accumulators "
        "are elements of C\n{}",
        gemm.threads(), gemm.lanes.m, gemm.lanes.n, explanation.schedule.matrices, 100 * used, table.text());
}

std::string text_of_occupancy(const BatchedExplanation& explanation, const gemm::CanonicalBatchedGemm& gemm) {
    const Integer bytes = gemm::batched_shared_bytes(gemm);
    const target::Occupancy occupancy =
        target::occupancy(explanation.gpu, gemm.threads(), registers_of(explanation, gemm), bytes);
    return fmt::format(
        "registers  {} of a thread\nshared     {} of a block\noccupancy  {} blocks on a "
        "multiprocessor, limited by {}\nblocks     {}\n",
        registers_of(explanation, gemm), format_bytes(static_cast<double>(bytes)), occupancy.blocks,
        name_of(occupancy.limited_by), gemm.blocks());
}

} // namespace

BatchedExplanation explain_batched(const MatrixProduct& product, GpuGemmInspection inspection) {
    BatchedExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = std::get<gemm::BatchedGemm>(inspection.schedule);
    result.costs = costs_of(product, inspection);
    result.kernel = std::move(inspection.derived.info);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    return result;
}

std::string text_of(const BatchedExplanation& explanation) {
    const gemm::CanonicalGemm canonical = gemm::canonical_for_gpu(explanation.product);
    const gemm::CanonicalBatchedGemm gemm(canonical, explanation.schedule);
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}",
                       text_of_problem(explanation.product, explanation.gpu, explanation.schedule),
                       text_of_parameters(explanation.schedule), text_of_threads(explanation, gemm),
                       text_of_occupancy(explanation, gemm),
                       text_of_accesses(explanation.sample, explanation.gpu), text_of(explanation.costs));
}

Json json_of(const BatchedExplanation& explanation) {
    const gemm::CanonicalGemm canonical = gemm::canonical_for_gpu(explanation.product);
    const gemm::CanonicalBatchedGemm gemm(canonical, explanation.schedule);
    Json result = {{"problem", to_text(explanation.product)},
                   {"gpu", explanation.gpu.name},
                   {"is_swapped", canonical.is_swapped},
                   {"schedule", to_string(planning::Schedule(explanation.gpu.name,
                                                             gemm::GpuGemmSchedule(explanation.schedule)))},
                   {"parameters", json_of_parameters(explanation.schedule)},
                   {"threads", gemm.threads()},
                   {"blocks", gemm.blocks()},
                   {"registers", registers_of(explanation, gemm)},
                   {"shared_bytes", gemm::batched_shared_bytes(gemm)},
                   {"sample", json_of_sample(explanation.sample)}};
    add_costs(result, explanation.costs);
    return result;
}

} // namespace swirl::cli
