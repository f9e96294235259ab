#pragma once

#include "gemm/gpu/schedule.hpp"
#include "problem/matrix_product.hpp"
#include "sass/score.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Static analysis of a schedule's machine code, before execution.
namespace swirl::search {

struct CompiledGemm {
    std::string failed_because = {}; ///< empty if the schedule compiled
    /// Why its main loop was not reordered where the schedule asks for it.
    std::string not_reordered_because = {};
    std::optional<sass::KernelScore> score = {}; ///< of the main GEMM kernel; empty if it is not analysed
};

/// Lower bound in seconds: the time the GPU's warp schedulers need, at the model's clock, to issue the main loop as
/// often as the GEMM requires, given issue slots, register bank conflicts and the stalls that the resident warps cannot
/// hide. Latency comes on top. 0 unless the kernel is a SIMT kernel with a main loop.
double min_seconds(const sass::KernelScore& score, const MatrixProduct& product,
                   const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu);

/// The incumbent: the fastest schedule so far.
struct GpuGemmIncumbent {
    double seconds = 0;
    long long spills = 0; ///< spills_of its code
};

/// Loads and stores of spilled registers in the main loop, or in the whole kernel if it has no loop.
long long spills_of(const CompiledGemm& code);

/// Why timing cannot help: compilation failed; the code equals that without main loop reordering; a substantial
/// fraction of the main loop's instructions are spills and the incumbent has none; or its lower bound is clearly longer
/// than the incumbent's time.
std::optional<std::string> reason_not_to_time(const CompiledGemm& code, const MatrixProduct& product,
                                              const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu,
                                              const GpuGemmIncumbent& best);

/// Which candidates to time, and in which order.
struct TimingOrder {
    std::vector<std::size_t> worth_timing;                     ///< fastest expected first
    std::vector<std::pair<std::size_t, std::string>> left_out; ///< with the reason
};
/// Of candidates after the first, which is the incumbent and takes so many seconds.
TimingOrder timing_order(std::span<const CompiledGemm> codes,
                         std::span<const gemm::GpuGemmSchedule> schedules, const MatrixProduct& product,
                         const target::Gpu& gpu, double incumbent_seconds);

/// The model's prediction, or the lower bound from the machine code if that is longer.
double expected_seconds(const CompiledGemm& code, const MatrixProduct& product,
                        const gemm::GpuGemmSchedule& schedule, const target::Gpu& gpu);

} // namespace swirl::search
