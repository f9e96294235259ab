#pragma once

#include "bench/cpu_transforms/groups.hpp"
#include "bench/cpu_transforms/row.hpp"
#include "cli/output.hpp"
#include "search/probe.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// What was measured of one part of a group in one precision.
struct Result {
    const Group* group;
    const Part* part;
    Precision precision;
    std::vector<Row> rows;
};

/// How the run was made.
struct Setting {
    std::string command;
    std::string date;    ///< UTC, ISO 8601
    std::string planner; ///< "estimate" or "measure"
    int threads = 1;
    int processor = -1; ///< that the run was pinned to; −1: none
    double fftw_seconds = 0;
    search::MachineProbe probe;
};

/// One line while it runs: swirl's speed, and how many times as fast as each peer it is.
std::string progress_line(const Result& result, const Row& row);

/// For each problem and contender: speed by the best and the median time, ratio to swirl's, parts of what the machine
/// can do; then for each part the ratios beside what is asked for.
std::string tables(const std::vector<Result>& results, const search::MachineProbe& probe);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
