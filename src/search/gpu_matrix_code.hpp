#pragma once

#include "gemm/gpu_schedule.hpp"
#include "machine/score.hpp"
#include "problem/matrix_product.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <string>

/// What a schedule's machine code says before it is executed.
namespace swirl::search {

struct GpuMatrixCode {
    std::string failed_because = {}; ///< empty where the schedule has code
    std::string loop_kept_because =
        {}; ///< why its main loop stays as compiled where another order was asked for
    std::optional<machine::KernelScore> score =
        {}; ///< of the kernel that multiplies; nothing where it is not read
};

/// Seconds in which the GPU's schedulers issue the main loop as often as the product wants it, at the model's clock: by issue and
/// banks of registers, and by what the warps that are there at once stall. What is waited for comes on top, so no execution takes less.
/// 0 where it is not threads that multiply, or not in a loop.
double least_seconds(const machine::KernelScore& score, const MatrixProduct& product,
                     const gemm::GpuSchedule& schedule, const target::Gpu& gpu);

/// The fastest so far.
struct GpuMatrixBest {
    double seconds = 0;
    long long spills = 0; ///< spills_of its code
};

/// Loads and stores of spilled registers in the main loop; in all of the kernel where it has no loop.
long long spills_of(const GpuMatrixCode& code);

/// Why timing cannot help: there is no code; it is the same as without another order of the main loop; a part of the main loop's
/// instructions are spills that the fastest so far has not; or the least that it takes is clearly longer.
std::optional<std::string> objection_to_timing(const GpuMatrixCode& code, const MatrixProduct& product,
                                               const gemm::GpuSchedule& schedule, const target::Gpu& gpu,
                                               const GpuMatrixBest& best);

/// What the model says, or the least that machine code takes where that is longer.
double expected_seconds(const GpuMatrixCode& code, const MatrixProduct& product,
                        const gemm::GpuSchedule& schedule, const target::Gpu& gpu);

} // namespace swirl::search
