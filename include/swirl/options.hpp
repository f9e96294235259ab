/// Options of plans.
#pragma once

#include <swirl/device.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace swirl {

/// How much work goes into choosing an algorithm.
enum class Effort : std::uint8_t {
    /// A performance model with tables of host properties. On GPUs, when a problem is planned for the first time, the few
    /// schedules that the model predicts fastest are timed and the fastest is stored as wisdom.
    estimate,
    measure,    ///< benchmarks likely candidates within a time budget and stores the fastest as wisdom
    exhaustive, ///< benchmarks every applicable algorithm, which may take hours
    /// On CPUs: answers as estimate does, then measures while the program runs, on one thread of low priority, and stores the
    /// fastest as wisdom for later plans of the problem. The plan itself stays as it is, and its results keep their bits,
    /// unless Options::swap_schedule asks for more. <swirl/background.hpp> tells what is pending, waits and stops.
    background,
};

/// Required accuracy of a product in float32; all other results are ordinary. Errors are relative to |α|·|A|·|B| + |β·C|.
enum class Accuracy : std::uint8_t {
    ordinary, ///< no worse than multiply-adds in C's data type
    /// As ordinary if all elements of A and B are 0 or have magnitudes from 2⁻¹⁰³ to 2¹²⁷, and the sums of magnitudes
    /// of their products stay below 2¹²⁶. Smaller elements may lose digits; larger or infinite ones may give infinities
    /// and NaN. For GPUs, whose tensor cores then multiply a bf16x3 split without checking the range. The same range
    /// holds for the levels below where they use a bf16 split on a GPU. On CPUs the same as ordinary.
    ordinary_in_range,
    reduced,     ///< about 2⁻¹⁷ in float32
    eleven_bits, ///< about 2⁻¹⁰: as if A and B were rounded to 11 significant bits (TF32)
    low,         ///< about 2⁻⁸: as if A and B were rounded to bfloat16
};

/// Options of swirl::plan, for both kinds of problem and all devices. An option that means nothing for a problem or a
/// device is ignored, except `cpu` on a GPU.
///
///     swirl::plan("dft 1024", {.device = swirl::Device::gpu(), .effort = swirl::Effort::measure})
struct Options {
    Device device = {};
    int threads = 1; ///< on CPUs: maximum number of threads per execution; 0: one per available processor
    Effort effort = Effort::estimate;
    /// With Effort::background: this plan, and its copies, take over the schedule that was found, between two executions.
    /// From then on results may differ in bits. They keep theirs if the schedule needs a larger workspace, or if
    /// an operand was packed for the first one.
    bool swap_schedule = false;
    Accuracy accuracy = Accuracy::ordinary; ///< required accuracy of products
    /// Approximate time limit of the search in seconds. Default for Effort::estimate: GPUs 0.05, besides the time to compile
    /// the few schedules at once (0: nothing is timed, so a plan is the same in every process); on CPUs nothing is ever
    /// timed. Default for Effort::measure: transforms on CPUs 0.8 up to 65536
    /// elements in all, 3.5 beyond; products on CPUs 10; GPUs 5. For Effort::background the same, of the time that its thread
    /// runs on a processor. Default for Effort::exhaustive: no limit (0 and infinity also mean no limit).
    std::optional<double> time_budget_seconds = {};
    /// Limit on the memory that a plan may need besides the caller's arrays, in bytes of its device: workspace, packed
    /// operands, tables, the arrays of the check before first use and of a search. Planning throws OutOfMemory before it
    /// takes more, and names the need. 0: what the machine has.
    std::size_t memory_limit_bytes = 0;
    /// Limit on the time that planning will take, in seconds, as a model predicts it from the kernels to compile (as if
    /// none were cached), the entries of their tables, the check before first use and a search's time budget.
    /// Planning throws OutOfTime before that work begins, and names the prediction. 0: no limit. Work in the background does
    /// not count.
    double planning_limit_seconds = 0;
    std::function<void(const std::string&)> progress =
        {}; ///< receives a line of text now and then while searching
    /// Called, on the calling thread, when planning starts, while searching before each compilation and each sample, and
    /// between kernels and between parts of tables and of the check; if it returns true, planning throws Cancelled. A search
    /// in the background calls this function, `progress` and `log` on its own thread until it ends.
    std::function<bool()> cancelled = {};
    /// Called while searching, as often as `cancelled`; if it returns true, the search ends as if its time budget were spent:
    /// the plan has the fastest schedule found so far, which is stored as wisdom.
    std::function<bool()> enough = {};
    std::string cpu = {}; ///< "avx512", "avx2", "sse2" or "portable"; empty: the best that this CPU supports
    std::string schedule = {}; ///< every choice, in the format of Plan::schedule(); empty: choose
    /// Verify the plan once against a second algorithm before returning it; of a large batch some transforms. GPU kernels
    /// from the cache that were verified before are not verified again. Plan::description() says what was verified.
    bool check = true;
    bool use_wisdom = true; ///< use results of earlier measurements on the same device, and of shipped ones
    bool use_kernel_cache = true; ///< load machine code compiled by an earlier process, and store it
    /// GPUs: allow reordered SASS main loops of products in float32 where they are proved to compute the same bits.
    /// Needs compute capability 9.0. The proof assumes instruction behaviour that was found by experiment, because
    /// NVIDIA does not document it. Wisdom stores such results separately.
    bool reorder_sass = false;
    std::function<void(const std::string&)> log = {}; ///< receives warnings; default: standard error
};

} // namespace swirl
