#include "bench/planning/prediction.hpp"

#include "base/error.hpp"
#include "bench/support/fit.hpp"
#include "bench/support/rounds.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "target/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace swirl::bench {
namespace {

using planning::PlanningRates;

/// Those of transforms on CPUs.
struct Rate {
    const char* name;
    double PlanningRates::*value;
};
constexpr Rate varied_rates[] = {
    {"codelet", &PlanningRates::codelet},
    {"operation", &PlanningRates::operation},
    {"entry", &PlanningRates::entry},
    {"checked", &PlanningRates::checked},
};

double predicted(const TimedPlanning& one, const PlanningRates& rates) {
    return planning::total(planning::time_of(one.work, rates));
}

double error_of(const std::vector<TimedPlanning>& timed, const PlanningRates& rates) {
    double sum = 0;
    for (const TimedPlanning& one : timed) sum += std::pow(std::log(predicted(one, rates) / one.seconds), 2);
    return std::sqrt(sum / static_cast<double>(timed.size()));
}

/// The estimate's schedule and its plan.
TimedPlanning timed(const Transform& problem) {
    const target::Cpu& cpu = target::host_cpu();
    TimedPlanning result{to_text(problem), {}, 0};
    constexpr int runs = 3;
    for (int run = 0; run < runs; ++run) {
        const double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        const planning::Schedule schedule = search::estimated_schedule(problem, cpu);
        planning::Plan::build(problem, schedule);
        const double seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
        result.seconds = run == 0 ? seconds : std::min(result.seconds, seconds);
        if (run == 0) result.work = planning::planning_work(problem, schedule, {});
    }
    return result;
}

} // namespace

std::vector<TimedPlanning> time_planning(const std::vector<Problem>& problems) {
    timed(parse_transform("dft 1000")); // allocates what all plans share
    std::vector<TimedPlanning> result;
    for (const Problem& problem : problems)
        if (const auto* const transform = std::get_if<Transform>(&problem))
            result.push_back(timed(*transform));
    return result;
}

std::size_t print_predictions(const std::vector<TimedPlanning>& timed, const PlanningRates& rates,
                              double factor) {
    std::size_t beyond = 0;
    double least = 1, most = 1;
    fmt::print("{:>12}{:>12}{:>8}  problem\n", "predicted", "measured", "ratio");
    for (const TimedPlanning& one : timed) {
        const double seconds = predicted(one, rates), ratio = seconds / one.seconds;
        least = std::min(least, ratio);
        most = std::max(most, ratio);
        beyond += ratio > factor || ratio < 1 / factor ? 1 : 0;
        fmt::print("{:>10.2f}ms{:>10.2f}ms{:>8.2f}  {}\n", 1e3 * seconds, 1e3 * one.seconds, ratio,
                   one.problem);
    }
    fmt::print(
        "{} of {} predictions are within a factor of {:g}, ratios from {:.2f} to {:.2f}, error {:.2f}\n",
        timed.size() - beyond, timed.size(), factor, least, most, error_of(timed, rates));
    return beyond;
}

PlanningRates fitted(const std::vector<TimedPlanning>& timed) {
    constexpr int sweeps = 200;
    PlanningRates rates = planning::fitted_rates();
    std::vector<double*> values;
    for (const Rate& rate : varied_rates) values.push_back(&(rates.*rate.value));
    fit(values, 0.5, sweeps, [&] { return error_of(timed, rates); });
    return rates;
}

void print(const PlanningRates& rates) {
    for (const Rate& rate : varied_rates) fmt::print("        .{} = {:.3g},\n", rate.name, rates.*rate.value);
}

} // namespace swirl::bench
