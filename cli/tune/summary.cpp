#include "cli/tune/summary.hpp"

#include "cli/geometric_mean.hpp"
#include "cli/mistake.hpp"
#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace swirl::cli {
namespace {

using State = TunedProblem::State;

const char* name_of(State state) {
    switch (state) {
    case State::tuned: return "tuned";
    case State::known: return "known";
    case State::nothing_to_tune: return "nothing to tune";
    case State::too_short: return "too short";
    case State::interrupted: return "interrupted";
    case State::failed: return "failed";
    }
    return "?";
}

Regret regret_of(std::vector<std::pair<double, std::string>> ratios) {
    Regret regret{.problems = ratios.size()};
    if (ratios.empty()) return regret;
    std::vector<double> numbers;
    for (const auto& [ratio, problem] : ratios) numbers.push_back(ratio);
    regret.mean = geometric_mean(numbers);
    std::sort(ratios.begin(), ratios.end());
    const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(ratios.size())));
    regret.percentile_95 = ratios[rank - 1].first;
    regret.worst = ratios.back().first;
    regret.worst_problem = ratios.back().second;
    return regret;
}

std::string text_of(const Regret& regret) {
    return fmt::format("geometric mean {:.3f}, 95th percentile {:.3f}, worst {:.3f} ({}), {} problems",
                       regret.mean, regret.percentile_95, regret.worst, regret.worst_problem,
                       regret.problems);
}

Json json_of(const Regret& regret) {
    return {{"problems", regret.problems},
            {"geometric_mean", regret.mean},
            {"percentile_95", regret.percentile_95},
            {"worst", regret.worst},
            {"worst_problem", regret.worst_problem}};
}

Json json_of(const TimedSchedule& schedule) {
    return {{"schedule", schedule.schedule},
            {"seconds", std::isfinite(schedule.seconds) ? Json(schedule.seconds) : Json(nullptr)}};
}

Json json_of(const TunedProblem& problem) {
    Json json{{"problem", problem.problem}, {"device", problem.device}, {"state", name_of(problem.state)}};
    if (!problem.error.empty()) json["error"] = problem.error;
    if (problem.found.schedule.empty()) return json;
    if (!problem.estimate.schedule.empty()) json["estimate"] = json_of(problem.estimate);
    if (problem.first_plan) json["first_plan"] = json_of(*problem.first_plan);
    json["found"] = json_of(problem.found);
    json["search_seconds"] = problem.search_seconds;
    return json;
}

} // namespace

TuneSummary summary_of(std::span<const TunedProblem> problems) {
    TuneSummary summary;
    std::vector<std::pair<double, std::string>> estimates, first_plans;
    for (const TunedProblem& problem : problems) {
        summary.tuned += problem.state == State::tuned;
        summary.known += problem.state == State::known;
        summary.nothing_to_tune += problem.state == State::nothing_to_tune;
        summary.too_short += problem.state == State::too_short;
        summary.interrupted += problem.state == State::interrupted;
        summary.failed += problem.state == State::failed;
        if (!problem.is_compared()) continue;
        estimates.emplace_back(problem.regret(problem.estimate), problem.problem);
        if (problem.first_plan && std::isfinite(problem.first_plan->seconds))
            first_plans.emplace_back(problem.regret(*problem.first_plan), problem.problem);
    }
    summary.estimate = regret_of(std::move(estimates));
    summary.first_plan = regret_of(std::move(first_plans));
    return summary;
}

std::string line_of(const TunedProblem& problem) {
    if (problem.state == State::failed)
        return fmt::format("{}: failed: {}\n", problem.problem, on_one_line(problem.error));
    if (problem.state == State::known && !problem.is_compared())
        return fmt::format("{}: wisdom has it\n", problem.problem);
    if (problem.state == State::nothing_to_tune)
        return fmt::format("{}: nothing to tune, the model decides\n", problem.problem);
    if (problem.state == State::too_short)
        return fmt::format("{}: the time was too short to compare anything\n", problem.problem);
    if (!problem.is_compared()) return fmt::format("{}: {}\n", problem.problem, problem.found.schedule);
    return fmt::format("{}: {}, {:.3f} times as fast as the estimate, {}\n", problem.problem,
                       format_seconds(problem.best_seconds()), problem.regret(problem.estimate),
                       problem.found.schedule);
}

std::string text_of(const TuneSummary& summary) {
    std::string text = fmt::format("{} tuned", summary.tuned);
    for (const auto& [count, what] :
         {std::pair(summary.known, "known to wisdom"),
          std::pair(summary.nothing_to_tune, "without anything to tune"),
          std::pair(summary.too_short, "for which the time was too short"),
          std::pair(summary.interrupted, "interrupted"), std::pair(summary.failed, "failed")})
        if (count > 0) text += fmt::format(", {} {}", count, what);
    text += "\n";
    if (summary.estimate.problems > 0)
        text += fmt::format("regret of the estimate: {}\n", text_of(summary.estimate));
    if (summary.first_plan.problems > 0)
        text += fmt::format("regret of a first plan: {}\n", text_of(summary.first_plan));
    return text;
}

Json json_of(std::span<const TunedProblem> problems, const TuneSummary& summary) {
    Json json{{"problems", Json::array()},      {"tuned", summary.tuned},
              {"known", summary.known},         {"nothing_to_tune", summary.nothing_to_tune},
              {"too_short", summary.too_short}, {"interrupted", summary.interrupted},
              {"failed", summary.failed},       {"regret_of_estimate", json_of(summary.estimate)}};
    if (summary.first_plan.problems > 0) json["regret_of_first_plan"] = json_of(summary.first_plan);
    for (const TunedProblem& problem : problems) json["problems"].push_back(json_of(problem));
    return json;
}

} // namespace swirl::cli
