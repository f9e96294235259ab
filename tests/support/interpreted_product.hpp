#pragma once

#include "gemm/gpu_schedule.hpp"
#include "target/gpu.hpp"

#include <string>

/// What tests of products on GPUs are made for that the interpreter runs.
namespace swirl::planning {

inline const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// Tiles so small that the interpreter is done soon, and what else is wanted.
inline gemm::GpuSchedule schedule_with(const std::string& more) {
    return gemm::parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=4 thread_rows=4 thread_columns=4 stages=3 group=2 " +
        more);
}

} // namespace swirl::planning
