#pragma once

#include "numpy.hpp"

#include <swirl/plan.hpp>

#include <string>

namespace swirl::python {

/// Options of a plan as Python states them: text and numbers, so that a plan can be pickled.
struct PlanOptions {
    int threads = 1;
    std::string effort = "estimate";
    double time_budget = -1; ///< seconds; negative: the default of the effort
    std::string accuracy = "ordinary";
    std::string schedule = {};
    std::string cpu = {};
    std::size_t memory_limit = 0;
    double planning_limit = 0;
    bool check = true;
    bool use_wisdom = true;
};

/// Makes a plan with the interpreter's lock released. While it measures, signals are handled: an exception that a handler
/// raises, such as KeyboardInterrupt, cancels the plan and is thrown. `progress` is None or a function that is given lines
/// of text.
Plan make_plan(const Problem& problem, const PlanOptions& options, nb::handle progress);

/// A plan of the performance model, which takes milliseconds.
Plan make_estimated_plan(const Problem& problem, int threads);

/// Executions of fewer operations keep the interpreter's lock: to hand it over takes longer than they do.
constexpr double least_flops_to_release_lock = 20000;

/// Calls execute() with the interpreter's lock released if the plan takes long enough for that.
template <class Execute> void execute_unlocked(bool is_long, Execute&& execute) {
    if (!is_long) return execute();
    nb::gil_scoped_release released;
    execute();
}

} // namespace swirl::python
