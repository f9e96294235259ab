#include "gemm/gpu/gemm_kernels.hpp"

#include "gemm/gpu/batched/kernel.hpp"
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
#include "gemm/scalar.hpp"

namespace swirl::gemm {

namespace {

/// The fallback rarely computes anything, so it gets no workspace.
SimtGemm schedule_out_of_range(const MatrixProduct& product, const target::Gpu& gpu) {
    SimtGemm schedule = simt_schedule(product, gpu, true);
    if (schedule.splits_in_workspace()) schedule.decomposition = DataParallel{};
    return schedule;
}

/// Appends the reduction kernels for the partials that a kernel with this schedule leaves.
template <class Gemm>
void add_reductions(const Gemm& gemm, const GpuEpilogue& epilogue, const std::optional<KernelPath>& path,
                    std::vector<ir::Program>& programs) {
    for (const GpuReduction& reduction : epilogue.reductions) {
        const ReductionPartials partials = reduction_partials_of(gemm, reduction.over);
        if (!partials.are_results() && partials.results > 0)
            programs.push_back(gpu_reduce(reduction, partials, scalar_of(gemm.product().data_type), path));
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

std::vector<ir::Program> kernels_of(const CanonicalSimtGemm& gemm, const target::Gpu& gpu,
                                    const GpuEpilogue& epilogue) {
    if (gemm.schedule.stream_k() != nullptr) return stream_k_kernels(gemm, gpu, epilogue);
    return {simt_kernel(gemm, gpu, epilogue)};
}

/// Split terms have the layout of the caller's matrices, not the canonical ones.
std::vector<ir::Program> kernels_of(const MatrixProduct& product, const CanonicalWgmmaGemm& gemm,
                                    const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    const MatrixProduct& canonical = gemm.product();
    std::vector<ir::Program> programs;
    if (gemm.schedule.has_bf16_split() && product.k > 0) {
        add_bf16_splits(product, gemm.schedule, programs);
        if (gemm.schedule.has_range_check()) {
            const SimtGemm fallback = schedule_out_of_range(product, gpu);
            programs.push_back(simt_kernel({gemm.canonical, fallback}, gpu, epilogue, true));
        }
    }
    const auto [a, b] = operand_roles(gemm.canonical.is_swapped);
    if (gemm.transposes_a && canonical.k > 0)
        programs.push_back(transpose_kernel(a, transpose_of_a(canonical)));
    if (gemm.transposes_b && canonical.k > 0)
        programs.push_back(transpose_kernel(b, transpose_of_b(canonical)));
    programs.push_back(wgmma_kernel(gemm, gpu, epilogue));
    return programs;
}

} // namespace

std::vector<ir::Program> gpu_gemm_kernels(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                          const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    validate(schedule, product, gpu);
    const CanonicalGemm canonical = canonical_for_gpu(product);
    if (const auto* const wgmma = std::get_if<WgmmaGemm>(&schedule))
        return kernels_of(product, CanonicalWgmmaGemm(canonical, *wgmma), gpu, epilogue);
    if (const auto* const batched = std::get_if<BatchedGemm>(&schedule))
        return {batched_kernel(CanonicalBatchedGemm(canonical, *batched), epilogue)};
    return kernels_of(CanonicalSimtGemm(canonical, std::get<SimtGemm>(schedule)), gpu, epilogue);
}

std::vector<ir::Program> gpu_reductions(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                        const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    const CanonicalGemm canonical = canonical_for_gpu(product);
    const GpuEpilogue own = canonical.is_swapped ? epilogue.transposed() : epilogue;
    std::vector<ir::Program> programs;
    if (is_batched(schedule)) return programs; // it has none
    const auto* const wgmma = std::get_if<WgmmaGemm>(&schedule);
    if (wgmma == nullptr) {
        add_reductions(CanonicalSimtGemm(canonical, std::get<SimtGemm>(schedule)), own, std::nullopt,
                       programs);
        return programs;
    }
    const bool has_range_check = wgmma->has_range_check() && product.k > 0;
    if (has_range_check) {
        const SimtGemm fallback = schedule_out_of_range(product, gpu);
        add_reductions(CanonicalSimtGemm(canonical, fallback), own, KernelPath::fallback, programs);
    }
    add_reductions(CanonicalWgmmaGemm(canonical, *wgmma), own,
                   has_range_check ? std::optional(KernelPath::primary) : std::nullopt, programs);
    return programs;
}

} // namespace swirl::gemm
