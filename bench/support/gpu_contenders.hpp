#pragma once

#include "cli/output.hpp"
#include "search/gpu_turns.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Who takes part in a row of a benchmark on a GPU, and what came of it.
namespace swirl::bench {

/// What a contender reached.
struct Entry {
    std::string name;
    std::string made_by = {};    ///< recipe, schedule or version
    double model_seconds = 0;    ///< that swirl's model thinks it takes; 0: not asked
    double planning_seconds = 0; ///< until there was a plan, compiled
    std::size_t workspace_bytes = 0;
    search::GpuTurns turns = {};
    std::optional<double> error = {}; ///< of the results that were compared, relative
    double time_over_swirl = 0;       ///< median over rounds; 0 where swirl is not there

    double seconds() const { return turns.samples.empty() ? planning_seconds : turns.time.median; }
};

/// Contender → why it is not there.
using Absences = std::map<std::string, std::string>;

struct Contender {
    Entry entry;
    search::GpuWork work;
};

/// Times them in turn. Entries of those that ran are appended, in their order; reasons of others go to `absent`. Where
/// the first is called "swirl" and ran, the others' times are compared with its.
void time_contenders(const runtime::GpuStream& stream, const std::vector<Contender>& contenders,
                     const search::GpuTurnOptions& options, std::vector<Entry>& entries, Absences& absent);

/// What files say of an entry beside its figure: how it was made, its times and its error.
cli::Json json_of(const Entry& entry);
/// Five significant digits: what is measured is not known better. What is no number becomes null.
cli::Json json_number(double value);

/// "swirl", and "swirl 2" and so on of other recipes or schedules.
bool is_swirls(const Entry& entry);
std::string swirls_name(std::size_t index);

std::string first_line(const std::string& text);
/// Seconds that a call takes.
template <class Make> double seconds_of(Make make) {
    const double start = runtime::monotonic_seconds();
    make();
    return runtime::monotonic_seconds() - start;
}

} // namespace swirl::bench
