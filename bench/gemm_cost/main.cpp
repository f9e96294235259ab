// Fits the constants of the cost model of matrix multiplication on CPUs to timings: of `bench --draw products --seed …
// --candidates … --json FILE`, on one machine or several. Prints the model's error and its regret: the time of the candidate
// that it rates best over the time of the fastest, for products that the fit did not see.

#include "base/error.hpp"
#include "bench/support/fit.hpp"
#include "bench/support/program.hpp"
#include "problem/syntax.hpp"
#include "search/cost/cpu/gemm_cost.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

using search::GemmCostConstants;

struct Candidate {
    MatrixProduct product;
    planning::Schedule schedule;
    search::MachineModel machine; ///< that timed it
    int threads;
};

/// The model of an unprobed machine, with the clock that its peak of multiply-adds implies.
search::MachineModel machine_of(const cli::Json& run) {
    search::MachineModel model = search::fitted_machine_model();
    const cli::Json& machine = run["machine"];
    const target::Cpu& cpu = target::cpu_named(machine["instruction_set"].get<std::string>());
    const double flops = machine["flops_float64"];
    const double in_cycle = 2 * 2 * target::lanes(cpu, DataType::float64); // two units, multiply and add
    model.hertz = flops / in_cycle;
    return model;
}

/// The timed schedules of each product of the file.
std::vector<TimedProblem<Candidate>> read_timings(const std::string& path) {
    std::vector<TimedProblem<Candidate>> result;
    search::MachineModel machine;
    int threads = 1;
    for (const cli::Json& row : read_json_lines(path)) {
        if (row.contains("run")) {
            machine = machine_of(row["run"]);
            threads = row["run"]["threads"];
        }
        if (!row.contains("problem")) continue;
        const Problem problem = parse_problem(row["problem"].get<std::string>());
        const auto* const product = std::get_if<MatrixProduct>(&problem);
        if (product == nullptr) continue;
        TimedProblem<Candidate> timed{row["problem"]};
        for (const auto& [name, library] : row["libraries"].items()) {
            if (!name.starts_with("swirl") || !library.contains("median")) continue;
            planning::Schedule schedule =
                planning::parse_schedule(library["made_by"].get<std::string>(), problem);
            if (schedule.cpu_gemm().amx() != nullptr) continue;
            timed.candidates.push_back(
                {{*product, std::move(schedule), machine, threads}, library["median"], name == "swirl"});
        }
        if (timed.candidates.size() > 1) result.push_back(std::move(timed));
    }
    return result;
}

double seconds_of(const Candidate& candidate, const GemmCostConstants& constants) {
    return search::gemm_seconds(candidate.product, candidate.schedule, candidate.machine, candidate.threads,
                                constants);
}

#define SWIRL_CONSTANT(name) \
    Constant<GemmCostConstants> { #name, &GemmCostConstants::name }
constexpr Constant<GemmCostConstants> all_constants[] = {
    SWIRL_CONSTANT(call),
    SWIRL_CONSTANT(block),
    SWIRL_CONSTANT(panel),
    SWIRL_CONSTANT(blocked_tile),
    SWIRL_CONSTANT(unpacked_tile),
    SWIRL_CONSTANT(dot_tile),
    SWIRL_CONSTANT(vector_of_c),
    SWIRL_CONSTANT(scattered),
    SWIRL_CONSTANT(lane_sum),
    SWIRL_CONSTANT(exposed_load),
    SWIRL_CONSTANT(masked_load),
    SWIRL_CONSTANT(loop_iteration),
    SWIRL_CONSTANT(packing_bytes),
    SWIRL_CONSTANT(transposing_bytes),
    SWIRL_CONSTANT(outer_cache_bytes),
    SWIRL_CONSTANT(beyond_bytes),
    SWIRL_CONSTANT(unordered),
    SWIRL_CONSTANT(unordered_prefetched),
    SWIRL_CONSTANT(unordered_c),
    SWIRL_CONSTANT(packed_k),
    SWIRL_CONSTANT(column_of_c),
    SWIRL_CONSTANT(beyond_not_overlapped),
    SWIRL_CONSTANT(prefetch),
    SWIRL_CONSTANT(not_overlapped),
};
#undef SWIRL_CONSTANT

void print_features(const Candidate& candidate) { fmt::print("    {}\n", to_string(candidate.schedule)); }

constexpr CostModel<Candidate, GemmCostConstants> model{seconds_of, all_constants};

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    return fit_program(
        "Fits the cost model of matrix multiplication on CPUs to timings by bench --draw products "
        "--candidates.",
        model, read_timings, print_features, count, values);
}
