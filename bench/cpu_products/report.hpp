#pragma once

#include "bench/cpu_products/row.hpp"
#include "cli/output.hpp"
#include "search/cost/probe.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// Results of one part of a group.
struct Result {
    const Group* group;
    const Part* part;
    std::vector<Row> rows;
};

/// Setting of a run.
struct Setting {
    std::string command;
    std::string date; ///< UTC, ISO 8601
    int threads = 1;
    int processor = -1; ///< to which the run was pinned; −1: none
    search::HostProbe probe;
};

/// Progress line: the speed of every implementation.
std::string progress_line(const Result& result, const Row& row);

/// For each call and implementation: speed by the best and the median time, swirl's speedup, fraction of the peak; then
/// for each part swirl's result against its requirement.
std::string tables(const std::vector<Result>& results);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
