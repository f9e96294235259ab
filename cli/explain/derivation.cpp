#include "cli/explain/derivation.hpp"

#include "base/error.hpp"
#include "cli/explain/cpu_gemm.hpp"
#include "cli/explain/transform.hpp"
#include "cli/gpu_products.hpp"

#include <utility>

namespace swirl::cli {

GpuGemmExplanation explain_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options) {
    if (is_empty(product) || product.k == 0)
        throw Unsupported("a GPU multiplies nothing for an extent of 0\n  problem: {}", to_text(product));
    PlanningOptions planning = options;
    planning.no_check = true;
    GpuGemmInspection inspection = inspect_gemm_on_gpu(product, planning);
    if (gemm::is_batched(inspection.schedule)) return explain_batched(product, std::move(inspection));
    if (gemm::is_wgmma(inspection.schedule)) return explain_wgmma(product, std::move(inspection));
    return explain_gemm(product, planning, std::move(inspection));
}

std::string derivation_of(const Transform& problem, const PlanningOptions& options, bool full) {
    return (options.is_for_gpu() ? derivation_on_gpu(problem, options, full)
                                 : derivation_on_cpu(problem, options, full))
        .text;
}

std::string derivation_of(const MatrixProduct& product, const PlanningOptions& options, bool full) {
    if (!options.is_for_gpu()) return gemm_derivation_on_cpu(product, options, full);
    if (full)
        throw UserError("--full is for CPUs and transforms; use swirl show --device {} --stage ir",
                        options.device);
    return std::visit([](const auto& explanation) { return text_of(explanation); },
                      explain_gemm_on_gpu(product, options));
}

} // namespace swirl::cli
