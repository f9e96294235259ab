#pragma once

#include "gemm/gpu_schedule.hpp"
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

/// What a search for a GPU's schedule asks of the world: the time, and how long products take. Tests put one in its place that knows.
class GpuMatrixTimekeeper {
public:
    virtual ~GpuMatrixTimekeeper() = default;

    /// Seconds on a clock that only this has.
    virtual double now() = 0;
    /// What each schedule is compiled to, of which nothing is executed.
    virtual std::vector<GpuMatrixCode> codes(std::span<const gemm::GpuSchedule> schedules) = 0;
    /// Of one execution by each schedule, timed in turn; infinite where one cannot be built.
    virtual std::vector<double> seconds(std::span<const gemm::GpuSchedule> schedules) = 0;
};

struct GpuMatrixSearchSetting {
    const MatrixProduct& product; ///< valid, not empty
    const target::Gpu& gpu;
    double seconds = 5;                     ///< until no other schedule is timed
    std::size_t most = 32;                  ///< of the model's schedules
    Accuracy accuracy = Accuracy::ordinary; ///< that schedules have
    bool machine_loops = false;             ///< main loops may be put into another order in machine code
    std::function<void(const std::string&)> progress = {}; ///< called with a line now and then
};

struct GpuMatrixFinding {
    gemm::GpuSchedule model;  ///< what it would take without timing
    gemm::GpuSchedule found;  ///< the same where nothing was faster
    double seconds = 0;       ///< of an execution by what was found
    double speedup = 1;       ///< over the model's, by the last comparisons of each
    int timed = 0;            ///< schedules
    int left_out = 0;         ///< of those compiled, not timed for what their machine code says
    bool is_complete = false; ///< the time was enough
};

/// Why a product's main loop is in no other order by such a schedule: there are others of products of float32 by threads, on GPUs of
/// compute capability 9.0 (machine/main_loop.hpp). Which of these get another order only their compilation tells.
std::optional<std::string> objection_to_machine_loop(const gemm::GpuSchedule& schedule,
                                                     const MatrixProduct& product, const target::Gpu& gpu);
/// The same with its main loop in another order in machine code; nothing where there is an objection to that.
std::optional<gemm::GpuSchedule> with_machine_loop(const gemm::GpuSchedule& schedule,
                                                   const MatrixProduct& product, const target::Gpu& gpu);

/// The schedules that the model thinks fastest, if allowed also with main loops in machine code, then ATLAS's orthogonal line search (Whaley,
/// Petitet and Dongarra 2001): one parameter after the other is set to what is fastest while all others stay, until none helps any more.
/// Candidates are compiled before any of them is timed. Those of whose machine code it is plain that they are not faster are left out
/// (search/gpu_matrix_code.hpp), and the others come in the order of what the model and the code let expect. Each runs in turns with the
/// best so far, and takes its place when it has won twice.
GpuMatrixFinding search_gpu_schedule(const GpuMatrixSearchSetting& setting, GpuMatrixTimekeeper& timekeeper);

} // namespace swirl::search
