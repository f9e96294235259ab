#pragma once

#include "plan/transform/cpu/plan.hpp"
#include "search/planner.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace swirl::cli {

/// Options of the commands that plan.
struct PlanningOptions {
    std::string device = "cpu";
    std::string cpu;
    std::string schedule;
    bool measure = false;
    bool exhaustive = false;
    std::optional<double> budget;
    bool no_wisdom = false;
    bool no_check = false;
    bool no_cache = false;
    std::string gemm_accuracy = "ordinary"; ///< of GEMM on GPUs
    bool reorder_sass = false;              ///< as above
    int threads = 1;
    std::size_t memory_limit = 0; ///< bytes; 0: what the machine has
    double planning_limit = 0;    ///< seconds; 0: none
    bool shows_progress = false;  ///< of searches, on a terminal

    void add_to(CLI::App& command);
    /// --device and its dependent options, for commands that support GPUs.
    void add_device_to(CLI::App& command);
    /// Options of a plan on this device.
    Options plan_options(Device where = {}) const;
    bool is_for_gpu() const { return device != "cpu"; }
};

Effort effort_of(const PlanningOptions& options);

/// A plan for inspection; it may be for another machine.
std::shared_ptr<const planning::Plan> make_plan(const Transform& problem, const PlanningOptions& options,
                                                search::Purpose purpose = search::Purpose::execute);

/// PROBLEM as positional words, and how to write one. `examples`: lines of the command's own.
void add_problem_words(CLI::App& command, std::vector<std::string>& words, const std::string& what,
                       const std::string& examples);

/// --sizes, for parse_problems.
void add_sizes_option(CLI::App& command, std::string& sizes);

} // namespace swirl::cli
