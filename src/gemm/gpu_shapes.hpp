#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// Schedules by which threads multiply, without tiles, that suit a product as it is oriented: none only where GPUs have no product of
/// such numbers. `has_tiles`: others have tiles, so that none by warps are needed for short numbers.
std::vector<GpuSchedule> gpu_thread_candidates(const MatrixProduct& oriented, const target::Gpu& gpu,
                                               bool has_tiles);

} // namespace swirl::gemm
