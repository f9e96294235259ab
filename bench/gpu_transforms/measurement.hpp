#pragma once

#include "bench/gpu_transforms/arrays.hpp"
#include "bench/gpu_transforms/definition.hpp"
#include "bench/gpu_transforms/filter.hpp"
#include "bench/gpu_transforms/kernels.hpp"
#include "bench/gpu_transforms/rows.hpp"
#include "bench/support/gpu_implementations.hpp"
#include "plan/transform_schedule.hpp"
#include "search/timer/gpu_interleaved_timing.hpp"

#include <optional>
#include <string>
#include <vector>

/// A row of the benchmark: swirl and available peers, on the same arrays in the same stream.
namespace swirl::bench {

/// A schedule of swirl to time.
struct Choice {
    std::string schedule;     ///< empty: swirl's own choice
    double model_seconds = 0; ///< predicted by the model; 0: not computed
};

struct Options {
    search::InterleavedTimingOptions timing = {};
    std::vector<std::string> schedules = {}; ///< of swirl; empty: its own choice
    std::size_t candidates = 0;              ///< per pass, timed instead of the chosen one; 0: none
    bool use_cache = true;                   ///< disk cache of swirl's kernels; never for planning rows
    bool compare = true;                     ///< results with the definition
    double operations = 3e7;                 ///< budget of the definition's multiplications, per row
};

struct Result {
    const Group* group = nullptr;
    Row row;
    double bytes = 0;           ///< of the data, read once and written once
    std::vector<Entry> entries; ///< swirl's first
    Absences absent;
};

/// In the unit of the row's goal: fraction of copy bandwidth, microseconds, milliseconds.
double figure_of(const Result& result, const Entry& entry, double copy_bandwidth);
/// Whether a figure meets the goal, if there is one.
bool reaches_goal(const Result& result, double figure);
/// Whether an entry's results differ from the definition by more than rounding explains.
bool is_wrong(const Result& result, const Entry& entry);

/// Planning time, of a first plan or of a cached one; swirl's includes its check, as for users. Measure first plans
/// before anything else is compiled: they load the driver's compiler.
Result measure_planning(const runtime::GpuDevice& device, const Options& options, const Group& group,
                        const Row& row);

class Measurements {
public:
    /// Allocates arrays that hold the largest of the problems.
    Measurements(const runtime::GpuDevice& device, const std::vector<Group>& groups, std::size_t copy_bytes,
                 const Options& options);

    /// Bytes per second, read and written together: the faster of a simple kernel and the driver's copy.
    double copy_bandwidth() const { return copy_bandwidth_; }

    /// For all measures but planning. Throws UserError for an invalid problem text; a failure of swirl or of others is
    /// part of the result.
    Result measure(const Group& group, const Row& row);

private:
    struct Candidate;

    std::vector<Choice> choices(const Transform& problem) const;
    std::vector<Candidate> candidates_of(const Transform& problem, Measure measure, Result& result);
    std::optional<Candidate> swirl(const Transform& problem, const Choice& choice, Entry entry, bool rotated,
                                   Result& result);
    std::optional<Candidate> cufft(const Transform& problem, bool rotated, Result& result);
    std::optional<Candidate> vkfft(const Transform& problem, bool rotated, Result& result);
    std::optional<Candidate> cufft_convolution(const Transform& problem, Result& result);
    void compare(const Transform& problem, std::vector<Candidate>& candidates);
    std::vector<std::complex<long double>> results_at(const Transform& problem,
                                                      const std::vector<OutputIndex>& outputs) const;

    runtime::GpuDevice device_;
    runtime::GpuStream stream_;
    Options options_;
    Kernels kernels_;
    Arrays arrays_;
    std::optional<Filter> filter_; ///< of the row's convolution
    double copy_bandwidth_ = 0;
};

} // namespace swirl::bench
