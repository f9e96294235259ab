#include "gemm/gpu/gemm_kernels.hpp"

#include "gemm/cpu/tile.hpp"
#include "gemm/gpu/epilogue/range_check.hpp"
#include "gemm/gpu/matrix_buffer.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/reduction_model.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/prologue/operand_transpose.hpp"
#include "gemm/gpu/scheduler/stream_k_kernels.hpp"
#include "gemm/gpu/simt/kernel.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"

namespace swirl::gemm {

namespace {

/// The fallback rarely computes anything, so it gets no workspace.
SimtGemm schedule_out_of_range(const MatrixProduct& product, const target::Gpu& gpu) {
    SimtGemm schedule = simt_schedule(product, gpu, true);
    if (schedule.splits_in_workspace()) schedule.decomposition = DataParallel{};
    return schedule;
}

/// Appends the reduction kernels for the partials that a kernel with this schedule leaves.
void add_reductions(const MatrixProduct& canonical, const GpuGemmSchedule& schedule,
                    const GpuEpilogue& epilogue, const std::optional<KernelPath>& path,
                    std::vector<ir::Program>& programs) {
    for (const GpuReduction& reduction : epilogue.reductions) {
        const ReductionPartials partials = reduction_partials_of(schedule, canonical, reduction.over);
        if (!partials.are_results() && partials.results > 0)
            programs.push_back(gpu_reduce(reduction, partials, scalar_of(canonical.data_type), path));
    }
}

void add_bf16_splits(const MatrixProduct& product, const WgmmaGemm& schedule,
                     std::vector<ir::Program>& programs) {
    const auto split = [&](ir::ArgumentRole operand, const MatrixLayout& layout, Integer rows,
                           Integer columns) {
        Bf16SplitMatrix of{layout, rows, columns, product.batch, schedule.bf16_terms(), std::nullopt};
        if (schedule.has_range_check()) of.range = bf16_split_range(product.k);
        programs.push_back(bf16_split_kernel(operand, of));
    };
    split(ir::ArgumentRole::a, product.a, product.rows, product.k);
    split(ir::ArgumentRole::b, product.b, product.k, product.columns);
}

std::vector<ir::Program> kernels_of(const MatrixProduct& product, const SimtGemm& schedule,
                                    const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    if (schedule.stream_k() != nullptr) return stream_k_kernels(product, schedule, gpu, epilogue);
    return {simt_kernel(product, schedule, gpu, epilogue)};
}

std::vector<ir::Program> kernels_of(const MatrixProduct& product, const WgmmaGemm& schedule,
                                    const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    const CanonicalGemm canonical_gemm = canonical_for_gpu(product);
    const MatrixProduct& canonical = canonical_gemm.product;
    std::vector<ir::Program> programs;
    if (schedule.has_bf16_split() && product.k > 0) {
        add_bf16_splits(product, schedule, programs);
        if (schedule.has_range_check())
            programs.push_back(
                simt_kernel(product, schedule_out_of_range(product, gpu), gpu, epilogue, true));
    }
    const auto [a, b] = operand_roles(canonical_gemm.is_swapped);
    if (transposes_a(schedule, canonical) && canonical.k > 0)
        programs.push_back(transpose_kernel(a, transpose_of_a(canonical)));
    if (transposes_b(schedule, canonical) && canonical.k > 0)
        programs.push_back(transpose_kernel(b, transpose_of_b(canonical)));
    programs.push_back(wgmma_kernel(canonical, canonical_gemm.is_swapped, schedule, gpu,
                                    canonical_gemm.is_swapped ? epilogue.transposed() : epilogue));
    return programs;
}

} // namespace

std::vector<ir::Program> gpu_gemm_kernels(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                          const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    validate(schedule, product, gpu);
    return std::visit([&](const auto& kernel) { return kernels_of(product, kernel, gpu, epilogue); },
                      schedule);
}

std::vector<ir::Program> gpu_reductions(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                        const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    const CanonicalGemm canonical_gemm = canonical_for_gpu(product);
    const GpuEpilogue canonical = canonical_gemm.is_swapped ? epilogue.transposed() : epilogue;
    std::vector<ir::Program> programs;
    const auto* const wgmma = std::get_if<WgmmaGemm>(&schedule);
    const bool has_range_check = wgmma != nullptr && wgmma->has_range_check() && product.k > 0;
    if (has_range_check)
        add_reductions(canonical_gemm.product, schedule_out_of_range(product, gpu), canonical,
                       KernelPath::fallback, programs);
    add_reductions(canonical_gemm.product, schedule, canonical,
                   has_range_check ? std::optional(KernelPath::primary) : std::nullopt, programs);
    return programs;
}

} // namespace swirl::gemm
