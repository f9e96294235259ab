#include "search/planner.hpp"

#include "base/error.hpp"
#include "plan/problem_data.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/timer.hpp"
#include "search/cost_model.hpp"
#include "search/machine.hpp"
#include "search/wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace swirl::search {

namespace {

/// Clock rate the model's cycles are turned into seconds with, where nothing is measured.
constexpr double assumed_hertz = 3e9;

void add_rejections(Choice& choice, const planning::Stage& stage, const std::vector<Candidate>& all) {
    for (std::size_t k = 1; k < all.size(); ++k)
        choice.rejections.push_back(
            {rules::to_string(all[k].tree),
             fmt::format("estimated at {:.2f} times the cost", all[k].cycles / all[0].cycles)});
    for (const rules::BreakdownRule& rule : rules::registry())
        if (const auto applicability = rule.applicable(stage.nonterminal); !applicability.ok())
            choice.rejections.push_back({std::string(rule.name), applicability.reason()});
}

} // namespace

Choice estimate(const Problem& problem, const target::Cpu& cpu) {
    validate(problem);
    const ir::Scalar scalar =
        problem.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
    Choice choice{{std::string(cpu.name), {}}, 0, {}};
    for (const planning::Stage& stage : planning::stages(problem)) {
        const std::vector<Candidate> all = candidates(stage, cpu, scalar);
        choice.recipe.steps.push_back({stage.dimension, all[0].tree});
        choice.estimated_seconds += all[0].cycles / assumed_hertz;
        add_rejections(choice, stage, all);
    }
    return choice;
}

namespace {

/// Recipes timed for each stage, the model's favourites first.
constexpr std::size_t timed_recipes = 12;

/// Buffers that a problem's plans can be timed on. In place they stay zero, so that nothing grows.
class TimingData {
public:
    explicit TimingData(const Problem& problem)
        : in_place_(problem.placement == Placement::in_place),
          in_(problem, Side::input),
          out_(problem, Side::output) {
        std::minstd_rand random;
        if (!in_place_) in_.fill(random);
    }

    double seconds(const planning::Plan& plan, double budget) const {
        const planning::ProblemData& from = in_place_ ? out_ : in_;
        const planning::Arguments call{from.real(), out_.real(), from.imaginary(), out_.imaginary()};
        return runtime::measure({[&] { plan.execute(call); }, {}, 0}, {.budget = budget}).minimum;
    }

private:
    bool in_place_;
    planning::ProblemData in_;
    planning::ProblemData out_;
};

using SharedPlan = std::shared_ptr<const planning::Plan>;

/// The fastest plan seen and its time.
struct Winner {
    SharedPlan plan;
    double seconds;
};

/// Stage by stage, tries the model's favourites with the other stages as they are best so far.
Winner measured(const Problem& problem, const target::Cpu& cpu, const PlannerOptions& options) {
    const ir::Scalar scalar =
        problem.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
    const TimingData data(problem);
    const double start = runtime::monotonic_seconds();
    const auto left = [&] { return options.time_budget_seconds - (runtime::monotonic_seconds() - start); };
    planning::Recipe recipe = estimate(problem, cpu).recipe;
    Winner best{planning::Plan::build(problem, recipe, {.check = options.check}), 0};
    const auto parts = planning::stages(problem);
    const double slice = options.time_budget_seconds / static_cast<double>(timed_recipes * parts.size());
    best.seconds = data.seconds(*best.plan, slice);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const auto all = candidates(parts[k], cpu, scalar);
        for (std::size_t c = 1; c < std::min(all.size(), timed_recipes) && left() > 0; ++c) {
            planning::Recipe trial = best.plan->recipe();
            trial.steps[k].tree = all[c].tree;
            SharedPlan plan = planning::Plan::build(problem, trial, {.check = options.check});
            const double seconds = data.seconds(*plan, std::min(slice, left()));
            if (options.progress)
                options.progress(fmt::format("{}: {:.3g} s, best {:.3g} s, {:.1f} s left",
                                             planning::to_string(trial), seconds,
                                             std::min(seconds, best.seconds), std::max(left(), 0.0)));
            if (seconds < best.seconds) best = {std::move(plan), seconds};
        }
    }
    return best;
}

/// Wisdom's plan, or nothing: none there, none good enough for the effort, or damaged (then it is forgotten).
SharedPlan remembered(Wisdom& wisdom, const WisdomKey& key, const Problem& problem,
                      const PlannerOptions& options) {
    const auto entry = wisdom.find(key);
    if (!entry || (options.effort == Effort::measure && entry->found_by == FoundBy::estimate)) return nullptr;
    try {
        return planning::Plan::build(problem, planning::parse_recipe(entry->recipe),
                                     {.check = options.check});
    } catch (const UserError&) {
        wisdom.forget(key);
        return nullptr;
    }
}

} // namespace

Wisdom& host_wisdom() {
    static Wisdom wisdom(Wisdom::default_file());
    return wisdom;
}

SharedPlan make_plan(const Problem& problem, const PlannerOptions& options) {
    validate(problem);
    const target::Cpu& cpu = options.cpu ? *options.cpu : target::host_cpu();
    const WisdomKey key{fmt::format("{} {}", machine_key(host_machine()), cpu.name), to_text(problem)};
    if (options.use_wisdom)
        if (SharedPlan plan = remembered(host_wisdom(), key, problem, options)) return plan;
    if (options.effort == Effort::estimate)
        return planning::Plan::build(problem, estimate(problem, cpu).recipe, {.check = options.check});
    const Winner winner = measured(problem, cpu, options);
    if (options.use_wisdom)
        host_wisdom().remember(
            key, {planning::to_string(winner.plan->recipe()), winner.seconds, FoundBy::measure});
    return winner.plan;
}

} // namespace swirl::search
