#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/schedule.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda/device.hpp"
#include "search/gpu_matrix_search.hpp"

#include <functional>
#include <optional>
#include <string>

/// GPU GEMM schedules: wisdom lookup, and the precedence of wisdom, search and model.
namespace swirl::search {

/// The schedule that this version of swirl found on such a GPU. Erases an entry that is invalid for the product.
std::optional<gemm::GpuGemmSchedule> lookup_gpu_schedule(const MatrixProduct& product,
                                                         const runtime::GpuDevice& device,
                                                         Accuracy accuracy = Accuracy::ordinary,
                                                         bool reorder_sass = false);
void store_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                        const gemm::GpuGemmSchedule& schedule, double seconds,
                        Accuracy accuracy = Accuracy::ordinary, bool reorder_sass = false);

struct GpuScheduleOptions {
    bool measures = false;                  ///< time candidates unless wisdom has a schedule
    double seconds = 5;                     ///< time budget for timing, approximate
    std::size_t most = 32;                  ///< maximum number of the model's schedules to time
    Accuracy accuracy = Accuracy::ordinary; ///< of the schedule, for float32 GEMM
    bool reorder_sass = false;              ///< main loops may be reordered in SASS
    bool use_wisdom = true;                 ///< look up wisdom, and store the result there
    bool use_cache = true;                  ///< use the cache of machine code
    std::function<void(const std::string&)> progress = {};
};

/// The schedule from wisdom (a separate entry where reordered SASS main loops are allowed), else from timing if
/// requested, else from the model. Any schedule is valid for an empty product.
gemm::GpuGemmSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                          const GpuScheduleOptions& options = {});

} // namespace swirl::search
