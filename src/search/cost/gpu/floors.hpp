#pragma once

#include "gemm/gpu/schedule.hpp"
#include "problem/problem.hpp"
#include "search/timer/cpu/timing.hpp"
#include "target/gpu.hpp"

#include <optional>

/// Lower bounds on times on a GPU, by its rates (target::GpuRates): nothing is measured. None if the target is no
/// particular card.
namespace swirl::search {

/// For a transform that executes `flops` real operations.
std::optional<Floors> gpu_floors(const Transform& problem, double flops, const target::Gpu& gpu);

/// For a product by this schedule, whose kind of kernel decides the peak. The schedule must be feasible; an empty
/// product has no floors.
std::optional<Floors> gpu_floors(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                                 const target::Gpu& gpu);

} // namespace swirl::search
