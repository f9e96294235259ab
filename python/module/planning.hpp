#pragma once

#include "numpy.hpp"

#include <swirl/plan.hpp>

#include <string>

namespace swirl::python {

/// Options of a plan as Python states them: text and numbers, so that a plan can be pickled.
struct PlanOptions {
    Device device = {};
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
    bool use_kernel_cache = true;
};

/// None, "cpu", an ordinal, "cuda", "cuda:1", "gpu:1", or an object whose text is one of these, such as a torch.device.
/// Throws ValueError for another.
Device device_named(nb::handle device);
/// "cpu", "cuda:0".
std::string name_of(Device device);

/// The library's options. Throws UserError for an unknown word.
Options library_options(const PlanOptions& given);

/// Makes a plan with the interpreter's lock released. While it measures, signals are handled: an exception that a handler
/// raises cancels the plan and is thrown. KeyboardInterrupt is thrown when the fastest schedule so far is wisdom; a second
/// one is not waited for. `progress` is None or a function that is given lines of text.
Plan make_plan(const Problem& problem, const PlanOptions& options, nb::handle progress);

/// A plan of the performance model, which takes milliseconds; on a GPU tenths of a second, as the likeliest ones are timed.
Plan make_estimated_plan(const Problem& problem, int threads, Device device = {});

/// Executions of fewer operations keep the interpreter's lock: to hand it over takes longer than they do.
constexpr double least_flops_to_release_lock = 20000;

/// Calls execute() with the interpreter's lock released if the plan takes long enough for that.
template <class Execute> void execute_unlocked(bool is_long, Execute&& execute) {
    if (!is_long) return execute();
    nb::gil_scoped_release released;
    execute();
}

} // namespace swirl::python
