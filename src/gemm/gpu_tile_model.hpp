#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's seconds of a product by a schedule that has tiles and suits it.
double gpu_tile_seconds(const GpuSchedule& schedule, const MatrixProduct& oriented, const target::Gpu& gpu);

/// Schedules with tiles that suit a product as it is oriented; none where tensor cores do not multiply such numbers, or the copy engine
/// does not reach them.
/// `accuracy`: that they have, where numbers are float32.
std::vector<GpuSchedule> gpu_tile_schedules(const MatrixProduct& oriented, const target::Gpu& gpu,
                                            Accuracy accuracy = Accuracy::ordinary);

} // namespace swirl::gemm
