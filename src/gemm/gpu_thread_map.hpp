#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// Elements of C's tile that a thread has beside each other: a vector of rows by a vector of columns.
struct GpuThreadPart {
    int thread = 0;
    Integer row = 0;    ///< of the first element, in the block's tile
    Integer column = 0; ///< likewise
    int rows = 0;
    int columns = 0;
};

/// Of the threads first … first + count − 1 of a block, one thread after the other, as the kernel places them.
std::vector<GpuThreadPart> gpu_thread_parts(const GpuSchedule& schedule, Number number, int first, int count);

} // namespace swirl::gemm
