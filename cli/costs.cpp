#include "cli/costs.hpp"

#include "cli/floors.hpp"
#include "cli/table.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

namespace swirl::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// Of a schedule with the parameters of the estimated one, those that differ.
std::string differences(const std::string& schedule, const std::string& estimated) {
    const std::vector<std::string> words = words_of(schedule), others = words_of(estimated);
    if (words.size() != others.size() || words.size() < 2 || words.front() != others.front()) return schedule;
    std::string result;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::size_t name = words[k].find('=');
        if (words[k].substr(0, name) != others[k].substr(0, others[k].find('='))) return schedule;
        if (words[k] == others[k]) continue;
        if (name == std::string::npos) return schedule;
        result += (result.empty() ? "" : " ") + words[k];
    }
    return result;
}

/// Rules for another kind of transform are counted, not listed.
std::string text_of_rejections(const PlanCosts& costs) {
    if (costs.rejections.empty()) return "";
    Table table({"not taken", "predicted", "because"});
    int others = 0;
    for (const search::Rejection& rejection : costs.rejections) {
        if (rejection.is_for_other_transform)
            ++others;
        else
            table.add({differences(rejection.what, costs.estimated),
                       rejection.seconds ? format_seconds(*rejection.seconds) : "-", rejection.why});
    }
    return "\n" + table.text() +
           (others > 0 ? fmt::format("({} rules are for other transforms)\n", others) : "");
}

} // namespace

void PlanCosts::raise_to_floors() {
    if (floors) seconds = std::max(seconds, floors->larger());
}

void PlanCosts::set_gpu_floors(std::optional<search::Floors> of_target, const target::Gpu& gpu) {
    floors = std::move(of_target);
    if (!floors) no_floors_because = fmt::format("{} is no particular card, whose rates are known", gpu.name);
    raise_to_floors();
}

PlanCosts costs_of(search::Choice choice, const planning::Schedule& schedule,
                   const std::vector<std::optional<double>>& pass_seconds) {
    PlanCosts costs{.estimated = planning::to_string(choice.schedule),
                    .is_of_plan = schedule == choice.schedule,
                    .seconds = choice.estimated_seconds,
                    .rejections = std::move(choice.rejections)};
    const bool is_rated = std::all_of(pass_seconds.begin(), pass_seconds.end(),
                                      [](const auto& own) { return own.has_value(); });
    if (costs.is_of_plan || !is_rated) return costs;
    double seconds = 0;
    for (const std::optional<double>& own : pass_seconds) seconds += *own;
    costs.rejections.insert(
        costs.rejections.begin(),
        {.what = costs.estimated,
         .why =
             fmt::format("the model's choice, at {:.2f} times the cost; this schedule was given or measured",
                         costs.seconds / seconds),
         .seconds = costs.seconds});
    costs.estimated = planning::to_string(schedule);
    costs.is_of_plan = true;
    costs.seconds = seconds;
    return costs;
}

PlanCosts costs_on_cpu(const planning::Plan& plan, bool use_wisdom) {
    const search::MachineModel& machine =
        use_wisdom ? search::known_machine_model(plan.cpu()) : search::fitted_machine_model();
    PlanCosts costs = costs_of(search::estimate(plan.problem(), plan.cpu(), machine), plan.schedule(),
                               search::pass_seconds(plan.problem(), plan.schedule(), plan.cpu(), machine));
    if (target::host_can_run(plan.cpu()))
        costs.floors = floors_of(plan);
    else
        costs.no_floors_because = fmt::format("this machine cannot run {}", plan.cpu().name);
    costs.raise_to_floors();
    return costs;
}

std::string text_of_floors(const PlanCosts& costs) {
    return costs.floors ? describe_floors(*costs.floors)
                        : fmt::format("unknown: {}", costs.no_floors_because);
}

std::string text_of_estimate(const PlanCosts& costs) {
    if (!costs.is_of_plan)
        return fmt::format("the model would take {} for {}", costs.estimated, format_seconds(costs.seconds));
    if (!costs.floors)
        return fmt::format("{} on machines like those that the model was fitted to",
                           format_seconds(costs.seconds));
    const double larger = costs.floors->larger();
    return fmt::format("{}, {} of the floor", format_seconds(costs.seconds),
                       format_percent(costs.seconds > 0 ? larger / costs.seconds : 1));
}

std::string text_of(const PlanCosts& costs) {
    return fmt::format("floors     {}\nestimate   {}\n{}", text_of_floors(costs), text_of_estimate(costs),
                       text_of_rejections(costs));
}

void add_costs(Json& report, const PlanCosts& costs) {
    report["floors"] = costs.floors ? json_of_floors(*costs.floors) : Json(nullptr);
    report["estimate"] = {{"schedule", costs.estimated}, {"seconds", costs.seconds}};
    report["rejected"] = Json::array();
    for (const search::Rejection& rejection : costs.rejections)
        report["rejected"].push_back(
            {{"what", rejection.what},
             {"why", rejection.why},
             {"seconds", rejection.seconds ? Json(*rejection.seconds) : Json(nullptr)}});
}

} // namespace swirl::cli
