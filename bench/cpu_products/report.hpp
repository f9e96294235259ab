#pragma once

#include "bench/cpu_products/row.hpp"
#include "cli/output.hpp"
#include "search/probe.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// What was measured of one part of a group.
struct Result {
    const Group* group;
    const Part* part;
    std::vector<Row> rows;
};

/// How the run was made.
struct Setting {
    std::string command;
    std::string date; ///< UTC, ISO 8601
    int threads = 1;
    int processor = -1; ///< that the run was pinned to; −1: none
    search::MachineProbe probe;
};

/// One line while it runs: everybody's speed.
std::string progress_line(const Result& result, const Row& row);

/// For each call and contender: speed by the best and the median time, how many times as fast swirl is, part of the peak; then
/// for each part what swirl reached beside what is asked for.
std::string tables(const std::vector<Result>& results);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
