#pragma once

#include "bench/gpu_transforms/measurement.hpp"
#include "bench/support/gpu_run.hpp"
#include "cli/output.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// How the run was made.
struct Setting : GpuSetting {
    std::string cufft = {}; ///< its version, or why it is not there
    std::string vkfft = {}; ///< likewise
    double copy_bandwidth = 0;
    std::size_t bytes = 0; ///< on a side, of batched rows
    double seconds = 0;
};

/// One line, as soon as a row is measured: its problem, what each contender reached beside the goal, its error, why others
/// are not there. Where there were several recipes, a line of each follows.
std::string progress_line(const Result& result, const Setting& setting);

/// Of each group, how many rows swirl has, and how many of them reach their goal.
std::string summary(const std::vector<Result>& results, const Setting& setting);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
