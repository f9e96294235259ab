#pragma once

#include "bench/planning/cases.hpp"

#include <cstddef>
#include <functional>
#include <string>

/// Plans made in processes of their own.
namespace swirl::bench {

/// What may not be exceeded before a plan is given up.
struct Bounds {
    double seconds = 20; ///< of the processor
    double mebibytes = 4096;
};

struct Planned {
    std::string error;    ///< its first line; empty: there is a plan
    double seconds = 0;   ///< of the processor
    double mebibytes = 0; ///< at most at once, beyond what the process had before
    double tables = 0;    ///< MiB of these that the plan keeps as tables
};

/// The plan that the estimate chooses, without its check: code for a CPU, PTX for a GPU. Returns the MiB of tables that a CPU's
/// plan keeps. Throws as planning does.
double make_plan(const Case& one);

/// Runs cases in processes, `jobs` of them at a time: one crashes or fills memory alone. `next` gives cases until it
/// returns false; `finished` gets each case and what came of it, in no order.
void plan_in_processes(std::size_t jobs, const Bounds& bounds, const std::function<bool(Case&)>& next,
                       const std::function<void(const Case&, const Planned&)>& finished);

} // namespace swirl::bench
