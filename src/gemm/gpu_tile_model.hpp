#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's seconds of a product by a schedule that has tiles and suits it.
double gpu_tile_seconds(const GpuSchedule& schedule, const MatrixProduct& oriented, const target::Gpu& gpu);

/// Of a multiprocessor, a cycle.
struct GpuTileRates {
    double flops = 0;        ///< of tensor cores, at their peak
    double loaded_bytes = 0; ///< from the second cache
};
/// Of factors of so many bytes.
GpuTileRates gpu_tile_rates(Integer bytes);

/// Schedules with tiles that suit a product as it is oriented; none where tensor cores do not multiply such numbers, or the copy engine
/// does not reach them.
/// `accuracy`: that they have, where numbers are float32.
std::vector<GpuSchedule> gpu_tile_schedules(const MatrixProduct& oriented, const target::Gpu& gpu,
                                            Accuracy accuracy = Accuracy::ordinary);

} // namespace swirl::gemm
