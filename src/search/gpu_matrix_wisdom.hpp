#pragma once

#include "gemm/gpu_schedule.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cuda_device.hpp"
#include "search/gpu_matrix_search.hpp"

#include <functional>
#include <optional>
#include <string>

/// Schedules of products on GPUs: what wisdom says of them, and whose word counts.
namespace swirl::search {

/// What this version of swirl has found on such a GPU; what does not suit it is forgotten.
std::optional<gemm::GpuSchedule> remembered_gpu_schedule(const MatrixProduct& product,
                                                         const runtime::GpuDevice& device,
                                                         Accuracy accuracy = Accuracy::ordinary,
                                                         bool machine_loops = false);
void remember_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                           const gemm::GpuSchedule& schedule, double seconds,
                           Accuracy accuracy = Accuracy::ordinary, bool machine_loops = false);

struct GpuScheduleOptions {
    bool measures = false;                  ///< unless wisdom knows the schedule already
    double seconds = 5;                     ///< of measuring, roughly
    std::size_t most = 32;                  ///< of the model's schedules, timed
    Accuracy accuracy = Accuracy::ordinary; ///< that the schedule has, of a product of float32
    bool machine_loops = false;             ///< main loops may be put into another order in machine code
    bool use_wisdom = true;                 ///< read it; and keep there what is found
    bool use_cache = true;                  ///< of machine code
    std::function<void(const std::string&)> progress = {};
};

/// What wisdom knows (where machine loops are allowed another entry), else what is found by measuring if that is asked for, else the model's. Of an empty product any.
gemm::GpuSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                      const GpuScheduleOptions& options = {});

} // namespace swirl::search
