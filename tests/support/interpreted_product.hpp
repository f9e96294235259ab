#pragma once

#include "gemm/gpu/schedule_text.hpp"
#include "target/gpu.hpp"

#include <string>

/// Schedules for GPU GEMM tests that run in the interpreter.
namespace swirl::planning {

inline const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// Tiles small enough for fast interpretation, and further parameters.
inline gemm::GpuGemmSchedule schedule_with(const std::string& more) {
    return gemm::parse_gpu_schedule(
        "cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 stages=3 raster_group=2 " + more);
}

} // namespace swirl::planning
