#pragma once

#include "cli/output.hpp"
#include "search/timer/gpu_interleaved_timing.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The implementations in a row of a GPU benchmark, and their results.
namespace swirl::bench {

/// One implementation's result.
struct Entry {
    std::string name;
    std::string made_by = {};    ///< schedule, schedule or version
    double model_seconds = 0;    ///< predicted by swirl's model; 0: not computed
    double planning_seconds = 0; ///< until the plan was compiled
    std::size_t workspace_bytes = 0;
    search::InterleavedTimes timing = {};
    std::optional<double> error = {}; ///< relative error of the compared results
    double time_over_swirl = 0;       ///< median over rounds; 0 without swirl

    double seconds() const { return timing.samples.empty() ? planning_seconds : timing.time.median; }
};

/// Implementation → why it is absent.
using Absences = std::map<std::string, std::string>;

struct Implementation {
    Entry entry;
    search::GpuWork work;
};

/// Times the implementations interleaved. Appends entries of those that ran, in order; reasons of the others go to
/// `absent`. If the first is called "swirl" and ran, the others' times are compared with its time.
void time_implementations(const runtime::GpuStream& stream,
                          const std::vector<Implementation>& implementations,
                          const search::InterleavedTimingOptions& options, std::vector<Entry>& entries,
                          Absences& absent);

/// An entry in files, without its figure: how it was made, its times and its error.
cli::Json json_of(const Entry& entry);
/// Five significant digits: measurements are not more accurate. NaN and infinities become null.
cli::Json json_number(double value);

/// "swirl", and "swirl 2" and so on for other schedules or schedules.
bool is_swirls(const Entry& entry);
std::string swirls_name(std::size_t index);

std::string first_line(const std::string& text);
/// Seconds of a call.
template <class Make> double seconds_of(Make make) {
    const double start = runtime::monotonic_seconds();
    make();
    return runtime::monotonic_seconds() - start;
}

} // namespace swirl::bench
