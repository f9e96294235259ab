#pragma once

#include "api/plan.hpp"
#include "cli/command.hpp"
#include "plan/plan.hpp"
#include "search/planner.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::cli {

/// The options of commands that plan.
struct PlanningOptions {
    std::string device = "cpu";
    std::string cpu;
    std::string recipe;
    bool measure = false;
    bool exhaustive = false;
    std::optional<double> budget;
    bool no_wisdom = false;
    bool no_check = false;
    bool no_cache = false;
    std::string product_accuracy = "ordinary"; ///< of products on GPUs
    bool machine_loops = false;                ///< likewise
    int threads = 1;

    void add_to(CLI::App& command);
    /// --device and what goes with it alone, for commands that know GPUs.
    void add_device_to(CLI::App& command);
    bool is_for_gpu() const { return device != "cpu"; }
};

Effort effort_of(const PlanningOptions& options);

/// A line of a search's, for people who wait.
void print_progress(const std::string& line);

/// To inspect a plan, it may be for another machine.
std::shared_ptr<const planning::Plan> make_plan(const Problem& problem, const PlanningOptions& options,
                                                api::Purpose purpose = api::Purpose::execute);

/// PROBLEM as positional words.
void add_problem_words(CLI::App& command, std::vector<std::string>& words, const std::string& what);

/// --sizes, for parse_problems.
void add_sizes_option(CLI::App& command, std::string& sizes);

} // namespace swirl::cli
