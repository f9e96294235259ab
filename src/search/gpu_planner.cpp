#include "search/gpu_planner.hpp"

#include "base/error.hpp"
#include "plan/gpu_sequence.hpp"
#include "plan/memory_need.hpp"
#include "problem/validate.hpp"
#include "runtime/kernel_cache.hpp"
#include "search/gpu_estimate.hpp"
#include "search/gpu_kept_choice.hpp"
#include "search/gpu_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace swirl::search {

using planning::Recipe;

namespace {

/// Seconds, at most, for a recipe of another version against the estimate.
constexpr double recheck_seconds = 1.5;
/// A remembered recipe is kept if it takes no more than this part of the estimate's time: less may be luck.
constexpr double as_fast = 1.01;

FoundBy found_by(Effort effort) {
    return effort == Effort::exhaustive ? FoundBy::exhaustive : FoundBy::measure;
}

/// Whether a recipe has the steps of the problem.
bool fits(const Problem& problem, const Recipe& recipe) {
    try {
        planning::gpu_stages(problem, recipe);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

/// Whether a GPU has the clusters and groups of blocks that a recipe asks for.
bool is_for(const target::Gpu& gpu, const Recipe& recipe) {
    for (const planning::StepRecipe& step : recipe.steps)
        for (const lower::GpuMapping& mapping : step.mappings)
            if (mapping.cluster > std::max(1, gpu.largest_cluster) || (mapping.group > 0 && !gpu.has_groups))
                return false;
    return true;
}

/// One choice.
class Choosing {
public:
    Choosing(const Problem& problem, const GpuMachine& machine, const GpuPlannerOptions& options)
        : problem_(problem), machine_(machine), options_(options), memory_(options.use_wisdom) {}

    /// What needs no timing.
    std::optional<Recipe> known() {
        remembered_ = memory_.recall(problem_, machine_);
        if (remembered_ && is_enough(*remembered_)) {
            if (fits(problem_, remembered_->recipe)) return remembered_->recipe;
            forget();
        }
        if (options_.effort == Effort::estimate)
            return kept_gpu_recipe(problem_, machine_.gpu,
                                   options_.use_cache ? runtime::KernelCache::of_user() : nullptr);
        return std::nullopt;
    }

    bool has_remembered() const { return remembered_.has_value(); }
    /// What wisdom had turned out to be no recipe for this problem or GPU.
    void forget() {
        memory_.forget(problem_, machine_);
        remembered_.reset();
    }

    Recipe measured(GpuTimekeeper& timekeeper) {
        std::optional<GpuContender> winner;
        if (remembered_ && options_.effort == Effort::measure && !remembered_->is_current)
            winner = rechecked(remembered_->recipe, timekeeper);
        FoundBy how = FoundBy::measure;
        if (!winner) {
            GpuSearch search(problem_, timekeeper, setting());
            winner = search.run();
            if (search.is_complete()) how = found_by(options_.effort);
        }
        if (winner->is_timed()) memory_.keep(problem_, machine_, winner->recipe, winner->seconds, how);
        return winner->recipe;
    }

private:
    /// Entries of another version were timed on other code, and nobody timed those of an estimate.
    bool is_enough(const RememberedForGpu& known) const {
        if (!known.is_current || known.found_by == FoundBy::estimate) return false;
        return options_.effort != Effort::exhaustive || known.found_by == FoundBy::exhaustive;
    }

    /// A recipe of another version if it still is as fast as the estimate's.
    std::optional<GpuContender> rechecked(const Recipe& recipe, GpuTimekeeper& timekeeper) const {
        std::vector<GpuContender> both{{gpu_recipe(problem_, machine_.gpu)}, {recipe}};
        timekeeper.race(problem_, both,
                        timekeeper.now() + std::min(options_.time_budget_seconds, recheck_seconds),
                        [](std::size_t) {});
        if (!both[1].is_timed() || both[1].seconds > as_fast * both[0].seconds) return std::nullopt;
        return both[1];
    }

    GpuSearchSetting setting() {
        const bool is_exhaustive = options_.effort == Effort::exhaustive;
        const bool has_budget = !is_exhaustive || options_.time_budget_seconds > 0;
        GpuSearchSetting setting{machine_.gpu, has_budget ? options_.time_budget_seconds
                                                          : std::numeric_limits<double>::infinity()};
        setting.exhaustive = is_exhaustive;
        setting.rivals = memory_.elsewhere(problem_, machine_);
        if (remembered_) setting.rivals.insert(setting.rivals.begin(), remembered_->recipe);
        setting.progress = options_.progress;
        return setting;
    }

    const Problem& problem_;
    const GpuMachine& machine_;
    const GpuPlannerOptions& options_;
    GpuRecipeMemory memory_;
    std::optional<RememberedForGpu> remembered_;
};

} // namespace

Recipe choose_gpu_recipe(const Problem& problem, const GpuMachine& machine, GpuTimekeeper& timekeeper,
                         const GpuPlannerOptions& options) {
    validate(problem);
    Choosing choosing(problem, machine, options);
    if (auto known = choosing.known()) return *known;
    return choosing.measured(timekeeper);
}

Recipe choose_gpu_recipe(const Problem& problem, const GpuMachine& machine, bool use_wisdom) {
    validate(problem);
    const GpuPlannerOptions options{.use_wisdom = use_wisdom, .use_cache = false};
    return *Choosing(problem, machine, options).known(); // an estimate, if nothing else
}

Recipe choose_gpu_recipe(const Problem& problem, const target::Gpu& gpu, bool use_wisdom) {
    validate(problem);
    const auto remembered = GpuRecipeMemory(use_wisdom).recall(problem, gpu);
    if (remembered && fits(problem, remembered->recipe) && is_for(gpu, remembered->recipe))
        return remembered->recipe;
    return gpu_recipe(problem, gpu);
}

std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Problem& problem,
                                                       const runtime::GpuDevice& device,
                                                       const GpuPlannerOptions& options) {
    validate(problem);
    const GpuMachine machine = gpu_machine_of(device);
    planning::require_gpu_memory(problem, machine.gpu, static_cast<Integer>(device.facts().memory_bytes));
    const auto build = [&](const Recipe& recipe) {
        return planning::GpuPlan::build(problem, recipe, device,
                                        {.check = options.check, .use_cache = options.use_cache});
    };
    Choosing choosing(problem, machine, options);
    std::optional<Recipe> known = choosing.known();
    if (known && choosing.has_remembered()) {
        try {
            return build(*known);
        } catch (const runtime::GpuOutOfMemory&) {
            throw;
        } catch (const UserError&) {
            choosing.forget();
            known = choosing.known();
        }
    }
    if (known) return build(*known);
    const auto measured = [&] { // whose data is freed before the plan takes its memory
        DeviceTimekeeper timekeeper(device, options.use_cache);
        return choosing.measured(timekeeper);
    };
    return build(measured());
}

} // namespace swirl::search
