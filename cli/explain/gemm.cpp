#include "cli/explain/gemm.hpp"

#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/gpu.hpp"
#include "cli/gpu_products.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/scalar.hpp"

#include <algorithm>

namespace swirl::cli {

double GemmExplanation::multiply_add_slots() const {
    const double words = static_cast<double>(bytes_of(gemm::scalar_of(product.data_type))) / 4;
    const double by_warps = static_cast<double>(mix.mma_multiply_adds) / gemm::mma_speedup(product.data_type);
    return words * (static_cast<double>(mix.fused) + by_warps) / static_cast<double>(mix.threads);
}

double GemmExplanation::slots() const {
    return std::max(multiply_add_slots(),
                    static_cast<double>(mix.instructions()) / static_cast<double>(mix.threads));
}

GemmExplanation explain_gemm(const MatrixProduct& product, const PlanningOptions& options,
                             GpuGemmInspection inspection) {
    ensure(std::holds_alternative<gemm::SimtGemm>(inspection.schedule), "the schedule is no SIMT schedule");
    GemmExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = std::get<gemm::SimtGemm>(inspection.schedule);
    result.costs = costs_of(product, inspection);
    result.compiled = compile_for_inspection(inspection.derived.ptx, inspection.derived.info.name, result.gpu,
                                             index_of_gpu(options), result.schedule.reorders_sass());
    if (result.compiled.not_reordered_because.empty())
        result.compiled.not_reordered_because = std::move(inspection.not_reordered_because);
    result.kernel = std::move(inspection.derived.info);
    const ir::Program& program = inspection.derived.program;
    result.mix = ir::has_loop(program, gemm::k_tile_loop)
                     ? ir::instruction_mix_of_loop(program, gemm::k_tile_loop)
                     : ir::instruction_mix_of_kernel(program, {{1, 0}}); // multiplies, without reading C
    result.balance = gemm::gpu_balance(product, result.schedule, result.gpu, result.kernel.registers);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    return result;
}

} // namespace swirl::cli
