// Fits the constants of the cost model of GPU kernels to timings: of `bench --device gpu --draw transforms --seed …
// --candidates … --json FILE`, on one machine or several. Prints the model's error and its regret: the time of the candidate
// that it rates best over the time of the fastest, for problems that the fit did not see.

#include "base/error.hpp"
#include "bench/support/fit.hpp"
#include "bench/support/program.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace swirl::bench {
namespace {

using search::GpuKernelFeatures;
using search::GpuModelConstants;

struct Kernels {
    std::shared_ptr<const target::Gpu> gpu;
    std::vector<GpuKernelFeatures> all;
};

/// The GPU that timed the candidates: the schedule's, with its own rates.
std::shared_ptr<const target::Gpu> gpu_of(const cli::Json& machine, const std::string& name) {
    constexpr double copy_fraction = 0.875; // of the memory's rate, where the file has that of copies alone
    auto gpu = std::make_shared<target::Gpu>(target::gpu_named(name));
    gpu->multiprocessors = machine.value("multiprocessors", gpu->multiprocessors);
    gpu->rates.hertz = machine.value("hertz", gpu->rates.hertz);
    gpu->rates.memory_bytes = machine.value(
        "memory_bytes_per_second",
        machine.value("copy_bytes_per_second", copy_fraction * gpu->rates.memory_bytes) / copy_fraction);
    return gpu;
}

std::vector<GpuKernelFeatures> features_of(const Transform& problem, const planning::Schedule& schedule,
                                           const target::Gpu& gpu) {
    std::vector<GpuKernelFeatures> kernels;
    for (const auto& pass : search::gpu_kernel_costs(problem, schedule, gpu)) {
        if (!pass) return {};
        for (const search::GpuKernelCost& cost : *pass) {
            if (cost.resident_blocks == 0) return {};
            kernels.push_back(cost.features);
        }
    }
    return kernels;
}

/// The timed candidates that the model rates, of each transform of the file.
std::vector<TimedProblem<Kernels>> read_timings(const std::string& path) {
    std::vector<TimedProblem<Kernels>> result;
    cli::Json machine = cli::Json::object();
    for (const cli::Json& row : read_json_lines(path)) {
        if (row.contains("run")) machine = row["run"]["machine"];
        if (!row.contains("problem")) continue;
        const Problem problem = parse_problem(row["problem"].get<std::string>());
        const auto* const transform = std::get_if<Transform>(&problem);
        if (transform == nullptr) continue;
        TimedProblem<Kernels> timed{row["problem"]};
        for (const auto& [name, library] : row["libraries"].items()) {
            if (!name.starts_with("swirl") || !library.contains("median")) continue;
            const auto schedule = planning::parse_schedule(library["made_by"].get<std::string>(), problem);
            auto gpu = gpu_of(machine, schedule.target);
            auto kernels = features_of(*transform, schedule, *gpu);
            if (!kernels.empty())
                timed.candidates.push_back(
                    {{std::move(gpu), std::move(kernels)}, library["median"], name == "swirl"});
        }
        if (timed.candidates.size() > 1) result.push_back(std::move(timed));
    }
    return result;
}

double seconds_of(const Kernels& kernels, const GpuModelConstants& constants) {
    double sum = 0;
    for (const GpuKernelFeatures& kernel : kernels.all)
        sum += search::gpu_kernel_seconds(kernel, *kernels.gpu, constants);
    return sum;
}

#define SWIRL_CONSTANT(name) \
    Constant<GpuModelConstants> { #name, &GpuModelConstants::name }
constexpr Constant<GpuModelConstants> all_constants[] = {
    SWIRL_CONSTANT(launch),
    SWIRL_CONSTANT(cached_latency),
    SWIRL_CONSTANT(memory_latency),
    SWIRL_CONSTANT(step_latency),
    SWIRL_CONSTANT(instruction_latency),
    SWIRL_CONSTANT(issue_cycles),
    SWIRL_CONSTANT(bank_cycles),
    SWIRL_CONSTANT(memory_rate),
    SWIRL_CONSTANT(cache_rate),
    SWIRL_CONSTANT(multiprocessor_rate),
    SWIRL_CONSTANT(capacity),
    SWIRL_CONSTANT(sharpness),
    SWIRL_CONSTANT(overlap),
    SWIRL_CONSTANT(overlap_of_blocks),
    SWIRL_CONSTANT(overlap_of_rounds),
    SWIRL_CONSTANT(segment_bytes),
    SWIRL_CONSTANT(loads_from_memory),
    SWIRL_CONSTANT(loads_from_cache),
    SWIRL_CONSTANT(stores_to_memory),
    SWIRL_CONSTANT(stores_to_cache),
    SWIRL_CONSTANT(spill),
    SWIRL_CONSTANT(spectrum_latency),
    SWIRL_CONSTANT(exchange_latency),
    SWIRL_CONSTANT(exchange),
    SWIRL_CONSTANT(exchange_growth),
    SWIRL_CONSTANT(block_cycles),
    SWIRL_CONSTANT(group_latency),
    SWIRL_CONSTANT(word_latency),
    SWIRL_CONSTANT(table_cache),
    SWIRL_CONSTANT(table_rate),
};
#undef SWIRL_CONSTANT

void print_features(const Kernels& kernels) {
    for (const GpuKernelFeatures& kernel : kernels.all)
        fmt::print(
            "    {:.3e} s: {:.0f} blocks, {:.0f} resident, {:.0f} bytes (unused {:.0f} loaded, {:.0f} "
            "stored), {:.0f} "
            "steps, {:.0f} instructions, "
            "{:.0f} issued, {:.0f} shared cycles, {:.2f} spilled, cluster {:.0f}, segments {:.5f}, "
            "factors {:.0f}, table {:.0f}, shared {:.0f}, sides {:.0f}, waits {:.0f}, words {:.0f}, "
            "exchanged {:.2f}, group {:.0f} rounds of {:.0f} blocks\n",
            search::gpu_kernel_seconds(kernel, *kernels.gpu, {}), kernel.blocks, kernel.resident_blocks,
            kernel.bytes, kernel.wasted_loads, kernel.wasted_stores, kernel.steps, kernel.instructions,
            kernel.issued, kernel.shared_cycles, kernel.spilled, kernel.cluster, kernel.segments,
            kernel.factor_bytes, kernel.table_bytes, kernel.shared_bytes, kernel.sides, kernel.waits,
            kernel.words, kernel.exchanged, kernel.group_rounds, kernel.group_blocks);
}

constexpr CostModel<Kernels, GpuModelConstants> model{seconds_of, all_constants};

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    return fit_program("Fits the cost model of GPU kernels to timings by bench --device gpu --candidates.",
                       model, read_timings, print_features, count, values);
}
