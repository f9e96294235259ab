#include "search/planner.hpp"

#include "base/error.hpp"
#include "plan/problem_data.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/affinity.hpp"
#include "runtime/executable_memory.hpp"
#include "search/cost_model.hpp"
#include "search/machine.hpp"
#include "search/timing.hpp"
#include "search/wisdom.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

namespace swirl::search {
namespace {

using planning::Plan;
using planning::Recipe;

constexpr const char* in_memory = ":memory:";

/// The wisdom that the environment names now; opened once for each file.
Wisdom& shared_wisdom(const std::filesystem::path& file) {
    static std::mutex mutex;
    static std::map<std::filesystem::path, Wisdom> opened;
    const std::lock_guard lock(mutex);
    return opened.try_emplace(file, file).first->second;
}

/// What is fastest depends on the threads as it does on the machine.
WisdomKey key_of(const Problem& problem, const target::Cpu& cpu, int threads) {
    Machine machine = host_machine();
    machine.instruction_set = cpu.name;
    std::string key = machine_key(machine);
    if (threads > 1) key += fmt::format(", {} threads", threads);
    return {std::move(key), to_text(problem)};
}

planning::PlanOptions build_options(const PlannerOptions& options) {
    return {.threads = options.threads, .check = options.check};
}

/// The plan that wisdom has for the problem; null where it has none. A recipe that no longer fits is forgotten.
std::shared_ptr<const Plan> plan_from_wisdom(const Problem& problem, const target::Cpu& cpu,
                                             const PlannerOptions& options) {
    const std::filesystem::path file = Wisdom::default_file();
    // No file is created only to find nothing in it.
    if (file != in_memory && !std::filesystem::exists(file)) return nullptr;
    Wisdom& wisdom = shared_wisdom(file);
    const WisdomKey key = key_of(problem, cpu, options.threads);
    const std::optional<WisdomEntry> entry = wisdom.find(key);
    if (!entry) return nullptr;
    try {
        const Recipe recipe = planning::parse_recipe(entry->recipe);
        if (recipe.cpu == cpu.name) return Plan::build(problem, recipe, build_options(options));
    } catch (const UserError&) {
        // from another version, or damaged
    }
    wisdom.forget(key);
    return nullptr;
}

/// Finds the fastest recipe by timing, one stage after the other, the others staying as they are.
class Tournament {
public:
    Tournament(const Problem& problem, const target::Cpu& cpu, const PlannerOptions& options)
        : problem_(problem),
          cpu_(cpu),
          options_(options),
          data_(problem),
          start_(runtime::monotonic_seconds()) {
        data_.fill(1);
        data_.save();
        best_.recipe = estimate(problem, cpu).recipe;
    }

    struct Winner {
        Recipe recipe;
        std::shared_ptr<const Plan> plan;
        double seconds = std::numeric_limits<double>::infinity();
    };

    Winner run() && {
        const ir::Scalar scalar =
            problem_.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
        const std::vector<planning::Stage> stages = planning::stages(problem_);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            // Equal shares of what is left of the budget.
            const double now = runtime::monotonic_seconds() - start_;
            const double share =
                std::max(0.0, options_.time_budget_seconds - now) / static_cast<double>(stages.size() - i);
            choose_tree(i, candidates(stages[i], cpu_, scalar), now + share);
        }
        return std::move(best_);
    }

private:
    /// Half of the time, at most, goes into building plans, the likeliest first; the rest into timing them.
    void choose_tree(std::size_t step, const std::vector<Candidate>& trees, double deadline) {
        const double begin = runtime::monotonic_seconds() - start_;
        std::vector<Winner> contenders;
        for (const Candidate& candidate : trees) {
            const bool is_late = runtime::monotonic_seconds() - start_ > (begin + deadline) / 2;
            if (is_late && !contenders.empty()) break;
            Recipe recipe = best_.recipe;
            recipe.steps[step].tree = candidate.tree;
            auto plan = Plan::build(problem_, recipe, build_options(options_));
            contenders.push_back({std::move(recipe), std::move(plan)});
        }
        time(contenders, deadline - (runtime::monotonic_seconds() - start_));
        for (Winner& contender : contenders) {
            report(contender, step);
            if (contender.seconds < best_.seconds) best_ = std::move(contender);
        }
    }

    void time(std::vector<Winner>& contenders, double budget) {
        std::optional<runtime::PinnedThread> pinned;
        if (options_.threads == 1)
            pinned.emplace(); // threads that start now would all be pinned with this one
        const runtime::FlushDenormals flush;
        std::vector<TimedWork> works;
        for (const Winner& contender : contenders)
            works.push_back(data_.timed(
                [plan = contender.plan, arguments = data_.arguments()] { plan->execute(arguments); }));
        TimingOptions timing;
        timing.budget = std::clamp(budget / static_cast<double>(works.size()), 1e-3, 0.2);
        const auto measurements = measure_interleaved(works, timing);
        for (std::size_t i = 0; i < contenders.size(); ++i) contenders[i].seconds = measurements[i].median;
    }

    void report(const Winner& contender, std::size_t step) const {
        if (options_.progress)
            options_.progress(fmt::format("step {}: {:.3g} µs with {}", step + 1, contender.seconds * 1e6,
                                          planning::to_string(contender.recipe)));
    }

    const Problem& problem_;
    const target::Cpu& cpu_;
    const PlannerOptions& options_;
    planning::ProblemData data_;
    double start_;
    Winner best_;
};

} // namespace

std::shared_ptr<const Plan> make_plan(const Problem& problem, const PlannerOptions& options) {
    validate(problem);
    const target::Cpu& cpu = options.cpu != nullptr                    ? *options.cpu
                             : runtime::ExecutableCode::is_available() ? target::host_cpu()
                                                                       : target::portable_cpu();
    if (options.use_wisdom)
        if (auto plan = plan_from_wisdom(problem, cpu, options)) return plan;
    if (options.effort == Effort::estimate)
        return Plan::build(problem, estimate(problem, cpu).recipe, build_options(options));

    Tournament::Winner winner = Tournament(problem, cpu, options).run();
    if (options.use_wisdom)
        shared_wisdom(Wisdom::default_file())
            .remember(key_of(problem, cpu, options.threads), {.recipe = planning::to_string(winner.recipe),
                                                              .seconds = winner.seconds,
                                                              .found_by = FoundBy::measure});
    return winner.plan;
}

} // namespace swirl::search
