#pragma once

#include "gemm/gpu/schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// Feasible SIMT and mma.sync schedules of a canonical problem; none only if GPUs do not support its data types.
std::vector<SimtGemm> simt_candidates(const CanonicalGemm& gemm, const target::Gpu& gpu);

} // namespace swirl::gemm
