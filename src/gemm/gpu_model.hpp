#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's seconds of a product by a schedule that suits it.
double gpu_seconds(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu);

/// Those that the model thinks fastest, the fastest first. UserError where kernels for GPUs have no such product: of numbers other
/// than float32 and float64, of A and B of other numbers than C, with an epilogue.
std::vector<GpuSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu,
                                       std::size_t most);

} // namespace swirl::gemm
