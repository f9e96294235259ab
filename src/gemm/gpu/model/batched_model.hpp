#pragma once

#include "gemm/gpu/batched/layout.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's time in seconds for a feasible schedule of a kernel of small matrices.
double batched_seconds(const CanonicalBatchedGemm& gemm, const target::Gpu& gpu);

/// Candidates; none for problems that such kernels do not serve.
std::vector<BatchedGemm> batched_schedules(const CanonicalGemm& canonical, const target::Gpu& gpu);

} // namespace swirl::gemm
