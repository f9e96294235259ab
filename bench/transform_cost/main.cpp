// Fits the constants of the cost model of transforms on CPUs to timings: of `bench --draw transforms --seed … --candidates …
// --json FILE` on a machine with these vectors. Prints the model's error and its regret: the time of the candidate that it
// rates best over the time of the fastest, for transforms that the fit did not see.

#include "base/error.hpp"
#include "bench/support/fit.hpp"
#include "bench/support/program.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/cost_model.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

using search::CycleConstants;

struct Candidate {
    planning::DimensionPass pass;
    DataType scalar;
    planning::Schedule schedule;
};

CycleConstants present_constants(const Candidate& candidate) {
    return search::constants_for(target::cpu_named(candidate.schedule.target));
}

std::optional<double> cycles_of(const Candidate& candidate, const CycleConstants& constants) {
    return search::tree_cycles(candidate.pass, candidate.schedule.transform().passes.front().tree,
                               target::cpu_named(candidate.schedule.target), candidate.scalar,
                               search::fitted_machine_model(), constants);
}

/// The timed schedules of each transform of one pass, without those whose parts the model chooses.
std::vector<TimedProblem<Candidate>> read_timings(const std::string& path) {
    std::vector<TimedProblem<Candidate>> result;
    for (const cli::Json& row : read_json_lines(path)) {
        if (!row.contains("problem")) continue;
        const Problem problem = parse_problem(row["problem"].get<std::string>());
        const auto* const transform = std::get_if<Transform>(&problem);
        if (transform == nullptr) continue;
        const std::vector<planning::DimensionPass> passes = planning::dimension_passes(*transform);
        if (passes.size() != 1) continue;
        TimedProblem<Candidate> timed{row["problem"]};
        for (const auto& [name, library] : row["libraries"].items()) {
            if (!name.starts_with("swirl") || !library.contains("median")) continue;
            Candidate candidate{passes.front(), planning::arithmetic_of(transform->precision),
                                planning::parse_schedule(library["made_by"].get<std::string>(), problem)};
            if (!cycles_of(candidate, present_constants(candidate))) continue;
            timed.candidates.push_back({std::move(candidate), library["median"], name == "swirl"});
        }
        if (timed.candidates.size() > 1) result.push_back(std::move(timed));
    }
    return result;
}

double seconds_of(const Candidate& candidate, const CycleConstants& constants) {
    return cycles_of(candidate, constants).value() / search::fitted_machine_model().hertz;
}

#define SWIRL_CONSTANT(name) \
    Constant<CycleConstants> { #name, &CycleConstants::name }
constexpr Constant<CycleConstants> all_constants[] = {
    SWIRL_CONSTANT(operation),      SWIRL_CONSTANT(shuffle),        SWIRL_CONSTANT(move),
    SWIRL_CONSTANT(spill),          SWIRL_CONSTANT(deep_spill),     SWIRL_CONSTANT(wide_spill),
    SWIRL_CONSTANT(iteration),      SWIRL_CONSTANT(loop),           SWIRL_CONSTANT(overlapped_loop),
    SWIRL_CONSTANT(outer_line),     SWIRL_CONSTANT(colliding_load), SWIRL_CONSTANT(colliding_store),
    SWIRL_CONSTANT(real_spill),     SWIRL_CONSTANT(real_iteration), SWIRL_CONSTANT(real_pass),
    SWIRL_CONSTANT(pair_operation), SWIRL_CONSTANT(pair_call),      SWIRL_CONSTANT(pair_iteration),
    SWIRL_CONSTANT(far_sweep),      SWIRL_CONSTANT(far_rows),       SWIRL_CONSTANT(half_size),
    SWIRL_CONSTANT(near_two_sweep),
};
#undef SWIRL_CONSTANT

void print_features(const Candidate& candidate) { fmt::print("    {}\n", to_string(candidate.schedule)); }

constexpr CostModel<Candidate, CycleConstants> model{seconds_of, all_constants, present_constants};

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    return fit_program(
        "Fits the cost model of transforms on CPUs to timings by bench --draw transforms --candidates.",
        model, read_timings, print_features, count, values);
}
