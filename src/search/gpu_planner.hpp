#pragma once

#include "plan/gpu_plan.hpp"
#include "search/gpu_remembered.hpp"
#include "search/gpu_timekeeper.hpp"
#include "search/planner.hpp"

#include <functional>
#include <memory>
#include <string>

/// Choosing a recipe for a GPU, by tables, wisdom or measuring.
namespace swirl::search {

struct GpuPlannerOptions {
    Effort effort = Effort::estimate;
    double time_budget_seconds = 5; ///< an exhaustive search without one: 0 or infinite
    bool use_wisdom = true;
    bool check = true;     ///< see planning::GpuPlanOptions
    bool use_cache = true; ///< likewise
    std::function<void(const std::string&)> progress =
        {}; ///< called with a line now and then while measuring
};

/// Wisdom if there is any that can be trusted, else by the effort asked for; measured winners go to wisdom. What is
/// trusted is as for CPUs (make_plan): what this version of swirl has timed on such a GPU.
planning::Recipe choose_gpu_recipe(const Problem& problem, const GpuMachine& machine,
                                   GpuTimekeeper& timekeeper, const GpuPlannerOptions& options = {});

/// The same where nothing is to be measured.
planning::Recipe choose_gpu_recipe(const Problem& problem, const GpuMachine& machine, bool use_wisdom);

/// A recipe without a GPU: the fastest that wisdom has of such ones, else the estimate. Of what `gpu` says to lack, clusters
/// or groups of blocks, it has none.
planning::Recipe choose_gpu_recipe(const Problem& problem, const target::Gpu& gpu, bool use_wisdom);

/// The same on a device, as a plan.
std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Problem& problem,
                                                       const runtime::GpuDevice& device,
                                                       const GpuPlannerOptions& options = {});

} // namespace swirl::search
