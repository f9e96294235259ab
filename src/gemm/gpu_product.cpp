#include "gemm/gpu_product.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/gpu_range.hpp"
#include "gemm/gpu_reduction_model.hpp"
#include "gemm/gpu_stream_product.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_thread_product.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_product.hpp"
#include "gemm/gpu_turn.hpp"
#include "gemm/tile.hpp"

namespace swirl::gemm {

namespace {

/// It seldom does anything, so that it gets no memory of its own.
GpuSchedule schedule_out_of_range(const MatrixProduct& product, const target::Gpu& gpu) {
    GpuSchedule schedule = gpu_thread_schedule(product, gpu, true);
    if (schedule.through_memory != 0) {
        schedule.through_memory = 0;
        schedule.splits = 1;
    }
    return schedule;
}

/// Of those that a kernel with this schedule leaves in parts.
void add_reductions(const MatrixProduct& oriented, const GpuSchedule& schedule, const GpuEpilogue& epilogue,
                    const std::optional<GpuRangeSide>& side, std::vector<ir::Program>& programs) {
    for (const GpuReduction& reduction : epilogue.reductions) {
        const GpuResultParts parts = gpu_result_parts(schedule, oriented, reduction.over);
        if (!parts.are_results() && parts.results > 0)
            programs.push_back(gpu_reduce(reduction, parts, scalar_of(oriented.number), side));
    }
}

void add_splits(const MatrixProduct& product, const GpuSchedule& schedule,
                std::vector<ir::Program>& programs) {
    const auto split = [&](const char* name, const MatrixLayout& layout, Integer rows, Integer columns) {
        GpuSplit of{layout, rows, columns, product.batch, schedule.terms, std::nullopt};
        if (schedule.is_guarded()) of.range = range_of_terms(product.depth);
        programs.push_back(gpu_split(name, of));
    };
    split("a", product.a, product.rows, product.depth);
    split("b", product.b, product.depth, product.columns);
}

} // namespace

std::vector<ir::Program> gpu_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                     const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    validate(schedule, product, gpu);
    if (schedule.streams()) return gpu_stream_product(product, schedule, gpu, epilogue);
    if (!schedule.has_tiles()) return {gpu_thread_product(product, schedule, gpu, epilogue)};
    const GpuOrientation orientation = oriented_for_gpu(product);
    const MatrixProduct& oriented = orientation.product;
    std::vector<ir::Program> programs;
    if (schedule.has_terms() && product.depth > 0) {
        add_splits(product, schedule, programs);
        if (schedule.is_guarded())
            programs.push_back(
                gpu_thread_product(product, schedule_out_of_range(product, gpu), gpu, epilogue, true));
    }
    if (turns_a(schedule, oriented) && oriented.depth > 0)
        programs.push_back(gpu_turn(orientation.is_turned ? "b" : "a", turn_of_a(oriented)));
    if (turns_b(schedule, oriented) && oriented.depth > 0)
        programs.push_back(gpu_turn(orientation.is_turned ? "a" : "b", turn_of_b(oriented)));
    programs.push_back(gpu_tile_product(oriented, orientation.is_turned, schedule, gpu,
                                        orientation.is_turned ? epilogue.turned() : epilogue));
    return programs;
}

std::vector<ir::Program> gpu_reductions(const MatrixProduct& product, const GpuSchedule& schedule,
                                        const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    const GpuOrientation orientation = oriented_for_gpu(product);
    const GpuEpilogue oriented = orientation.is_turned ? epilogue.turned() : epilogue;
    std::vector<ir::Program> programs;
    const bool is_guarded = schedule.is_guarded() && product.depth > 0;
    if (is_guarded)
        add_reductions(orientation.product, schedule_out_of_range(product, gpu), oriented,
                       GpuRangeSide::outside, programs);
    add_reductions(orientation.product, schedule, oriented,
                   is_guarded ? std::optional(GpuRangeSide::inside) : std::nullopt, programs);
    return programs;
}

} // namespace swirl::gemm
