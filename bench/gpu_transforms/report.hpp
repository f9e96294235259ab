#pragma once

#include "bench/gpu_transforms/measurement.hpp"
#include "bench/support/gpu_run.hpp"
#include "cli/output.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

/// Setting of a run.
struct Setting : GpuSetting {
    std::string cufft = {}; ///< its version, or why it is missing
    std::string vkfft = {}; ///< as above
    double copy_bandwidth = 0;
    std::size_t bytes = 0; ///< per side, of batched rows
    double seconds = 0;
};

/// One line per measured row: its problem, each implementation's figure against the goal, its error, and why others are
/// absent. If there are several schedules, one line for each follows.
std::string progress_line(const Result& result, const Setting& setting);

/// For each group: how many rows swirl ran, and how many reach their goal.
std::string summary(const std::vector<Result>& results, const Setting& setting);

cli::Json to_json(const std::vector<Result>& results, const Setting& setting);

} // namespace swirl::bench
