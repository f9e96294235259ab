#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/schedule.hpp"
#include "problem/matrix_product.hpp"
#include "search/candidates/search_space.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What a search tries for a matrix multiplication on a GPU.
namespace swirl::search {

struct GpuGemmOptions {
    const target::Gpu& gpu;
    std::size_t most = 32;                       ///< maximum number of the model's schedules to time
    Accuracy accuracy = Accuracy::ordinary;      ///< of the schedules
    bool reorder_sass = false;                   ///< main loops may be reordered in SASS
    std::vector<planning::Schedule> others = {}; ///< from wisdom
};

/// Proposals are the schedules that the model predicts fastest, with reordered SASS main loops too if allowed; actions set
/// one parameter each, until none improves the result. The product must not be empty, and outlive the space.
SearchSpace gpu_gemm_space(const MatrixProduct& product, GpuGemmOptions options);

/// Whether these options allow a schedule.
bool is_allowed(const gemm::GpuGemmSchedule& schedule, const MatrixProduct& product,
                const GpuGemmOptions& options);

/// Why this schedule's main loop cannot be reordered in SASS. Reordering exists for float32 SIMT kernels on GPUs of
/// compute capability 9.0 (sass/main_loop.hpp). Which of these are actually reordered is known only after
/// compilation.
std::optional<std::string> sass_reordering_infeasibility(const gemm::GpuGemmSchedule& schedule,
                                                         const MatrixProduct& product,
                                                         const target::Gpu& gpu);
/// The same schedule with a reordered SASS main loop; nothing if that is infeasible.
std::optional<gemm::SimtGemm> with_sass_reordering(const gemm::GpuGemmSchedule& schedule,
                                                   const MatrixProduct& product, const target::Gpu& gpu);

} // namespace swirl::search
