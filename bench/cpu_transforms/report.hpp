#pragma once

#include "bench/cpu_transforms/groups.hpp"
#include "bench/cpu_transforms/row.hpp"
#include "cli/output.hpp"
#include "search/cost/probe.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// Results of one part of a group in one precision.
struct Result {
    const Group* group;
    const Part* part;
    DataType precision;
    std::vector<Row> rows;
};

/// Setting of a run.
struct Setting {
    std::string command;
    std::string date;    ///< UTC, ISO 8601
    std::string planner; ///< "estimate" or "measure"
    int threads = 1;
    int processor = -1; ///< to which the run was pinned; −1: none
    double fftw_seconds = 0;
    search::HostProbe probe;
};

/// Progress line: swirl's speed, and its speedup over each peer.
std::string progress_line(const Result& result, const Row& row);

/// For each problem and implementation: speed by the best and the median time, ratio to swirl's, fractions of the
/// machine's peak rates; then for each part the ratios against the requirements.
std::string tables(const std::vector<Result>& results, const search::HostProbe& probe);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
