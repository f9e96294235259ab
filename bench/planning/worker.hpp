#pragma once

#include "bench/planning/cases.hpp"

#include <cstddef>
#include <functional>
#include <string>

/// Plans made in separate processes.
namespace swirl::bench {

/// Limits at which a plan is abandoned.
struct Bounds {
    double seconds = 20; ///< CPU time
    double mebibytes = 4096;
};

struct Planned {
    std::string error;    ///< its first line; empty: planning succeeded
    double seconds = 0;   ///< CPU time
    double mebibytes = 0; ///< peak, beyond what the process had before
    double tables = 0;    ///< MiB of these that the plan keeps as tables
};

/// The plan that the estimate chooses, without its check: code for a CPU, PTX for a GPU. Returns the MiB of tables that
/// it keeps. Throws as planning does.
double make_plan(const Case& one);

/// Runs cases in separate processes, `jobs` at a time, so that a crash or out-of-memory affects one case only. `next`
/// supplies cases until it returns false; `finished` gets each case and its result, in no particular order.
void plan_in_processes(std::size_t jobs, const Bounds& bounds, const std::function<bool(Case&)>& next,
                       const std::function<void(const Case&, const Planned&)>& finished);

} // namespace swirl::bench
