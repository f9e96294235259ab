#pragma once

#include "bench/gpu_products/measurement.hpp"
#include "bench/support/gpu_run.hpp"
#include "cli/output.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// How the run was made.
struct Setting : GpuSetting {
    std::string cublas = {}; ///< its version, or why it is not there
    double copy_bandwidth = 0;
    std::size_t bytes = 0; ///< of operands that come from memory, all sets
    double seconds = 0;
};

/// One line, as soon as a row is measured: its product, what each contender reached beside the goal, its error, why others
/// are not there. Where there were several schedules, a line of each follows.
std::string progress_line(const Result& result, const Setting& setting);

/// Of each group, how many rows swirl has, and how many of them reach their goal.
std::string summary(const std::vector<Result>& results, const Setting& setting);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
