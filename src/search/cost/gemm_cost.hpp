#pragma once

#include "gemm/cpu/schedule.hpp"
#include "search/cost/machine_model.hpp"

#include <swirl/matrix_product.hpp>

/// Predicted time of a matrix multiplication on a CPU, from its schedule and the machine model.
namespace swirl::search {

/// Seconds of one execution on `threads` threads: the micro-kernel's cycles for whole tiles, packing, and C's traffic.
double gemm_seconds(const MatrixProduct& product, const gemm::CpuGemm& schedule, const MachineModel& machine,
                    int threads = 1);

} // namespace swirl::search
