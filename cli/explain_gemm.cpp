#include "cli/explain_gemm.hpp"

#include "base/error.hpp"
#include "cli/gpu.hpp"
#include "cli/gpu_products.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/tile.hpp"
#include "problem/matrix_syntax.hpp"

#include <algorithm>

namespace swirl::cli {

double GemmExplanation::multiply_add_slots() const {
    const double words = static_cast<double>(bytes_of(product.number)) / 4;
    const double by_warps =
        static_cast<double>(mix.multiply_adds_of_products) / gemm::warp_speedup(product.number);
    return words * (static_cast<double>(mix.fused) + by_warps) / static_cast<double>(mix.threads);
}

double GemmExplanation::slots() const {
    return std::max(multiply_add_slots(),
                    static_cast<double>(mix.instructions()) / static_cast<double>(mix.threads));
}

GemmExplanation explain_gemm(const MatrixProduct& product, const PlanningOptions& options,
                             GpuProductInspection inspection) {
    ensure(!inspection.schedule.has_tiles(), "the schedule has tiles");
    GemmExplanation result;
    result.product = product;
    result.gpu = inspection.gpu;
    result.schedule = inspection.schedule;
    result.compiled = compile_to_look_at(inspection.derived.ptx, inspection.derived.info.name, result.gpu,
                                         number_of_gpu(options), result.schedule.machine_loop != 0);
    if (result.compiled.stays_because.empty())
        result.compiled.stays_because = std::move(inspection.loop_stays_because);
    result.kernel = std::move(inspection.derived.info);
    const ir::Program& program = inspection.derived.program;
    result.mix = ir::has_loop(program, gemm::gpu_piece_loop)
                     ? ir::mix_of_loop(program, gemm::gpu_piece_loop)
                     : ir::mix_of_kernel(program, {{1, 0}}); // it multiplies, and does not read C
    result.balance = gemm::gpu_balance(product, result.schedule, result.gpu, result.kernel.registers);
    result.sample = gemm::gpu_sample(product, result.schedule, result.gpu);
    result.seconds = gemm::gpu_seconds(product, result.schedule, result.gpu);
    return result;
}

} // namespace swirl::cli
