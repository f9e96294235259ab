#pragma once

#include "gemm/gpu/schedule.hpp"
#include "problem/problem.hpp"
#include "search/timer/timing.hpp"
#include "target/gpu.hpp"

/// Lower bounds on times on a GPU, by the rates that the models assume: nothing is measured.
namespace swirl::search {

/// For a transform that executes `flops` real operations.
Floors gpu_floors(const Transform& problem, double flops, const target::Gpu& gpu);

/// For a product by this schedule, whose kind of kernel decides the peak. The schedule must be feasible; an empty
/// product has no floors.
Floors gpu_floors(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                  const target::Gpu& gpu);

} // namespace swirl::search
