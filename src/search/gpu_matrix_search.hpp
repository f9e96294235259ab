#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/schedule.hpp"
#include "problem/matrix_product.hpp"
#include "search/gpu_matrix_code.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace swirl::search {

/// Clock and benchmark for a search over GPU schedules. Tests substitute a fake.
class GpuGemmTimer {
public:
    virtual ~GpuGemmTimer() = default;

    /// Seconds on the timer's own clock.
    virtual double now() = 0;
    /// Compiles each schedule; executes none.
    virtual std::vector<CompiledGemm> compile(std::span<const gemm::GpuGemmSchedule> schedules) = 0;
    /// Seconds of one execution per schedule, timed interleaved; infinite if a schedule cannot be built.
    virtual std::vector<double> seconds(std::span<const gemm::GpuGemmSchedule> schedules) = 0;
};

struct GpuGemmSearchOptions {
    const MatrixProduct& product; ///< valid, not empty
    const target::Gpu& gpu;
    double seconds = 5;                     ///< time budget: after it no further schedule is timed
    std::size_t most = 32;                  ///< maximum number of the model's schedules to time
    Accuracy accuracy = Accuracy::ordinary; ///< of the schedules
    bool reorder_sass = false;              ///< main loops may be reordered in SASS
    std::function<void(const std::string&)> progress = {}; ///< called with a progress line now and then
};

struct GpuGemmSearchResult {
    gemm::GpuGemmSchedule model; ///< best by prediction, without timing
    gemm::GpuGemmSchedule found; ///< fastest by timing; equals `model` if nothing was faster
    double seconds = 0;          ///< per execution of `found`
    double speedup = 1;          ///< over the model's schedule, from the last comparison of each
    int timed = 0;               ///< number of schedules
    int left_out = 0;            ///< compiled but not timed because of their machine code
    bool is_complete = false;    ///< the time budget sufficed
};

/// Why this schedule's main loop cannot be reordered in SASS. Reordering exists for float32 SIMT kernels on GPUs of
/// compute capability 9.0 (sass/main_loop.hpp). Which of these are actually reordered is known only after
/// compilation.
std::optional<std::string> sass_reordering_infeasibility(const gemm::GpuGemmSchedule& schedule,
                                                         const MatrixProduct& product,
                                                         const target::Gpu& gpu);
/// The same schedule with a reordered SASS main loop; nothing if that is infeasible.
std::optional<gemm::SimtGemm> with_sass_reordering(const gemm::GpuGemmSchedule& schedule,
                                                   const MatrixProduct& product, const target::Gpu& gpu);

/// Starts from the schedules that the model predicts fastest, with reordered SASS main loops too if allowed, then runs
/// ATLAS's orthogonal line search (Whaley, Petitet and Dongarra 2001): it optimises one parameter at a time, with all
/// others fixed, until no parameter improves the result. Candidates are compiled before any is timed. Those whose
/// machine code shows that they are not faster are dropped (search/gpu_matrix_code.hpp); the rest are timed in the
/// order that model and code predict. Each candidate is timed interleaved with the incumbent and replaces it after
/// winning twice.
GpuGemmSearchResult search_gpu_schedule(const GpuGemmSearchOptions& setting, GpuGemmTimer& timer);

} // namespace swirl::search
