// Planning time for a GPU: choosing a schedule, deriving its kernels, generating PTX; and, if a driver is present, the
// total with compilation, then once more from the cache. Without a GPU it reports the first three; a dummy driver
// suffices for the rest.

#include "base/error.hpp"
#include "bench/support/program.hpp"
#include "emit/ptx/ptx.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

constexpr int rounds = 15;

std::optional<runtime::GpuDevice> first_gpu() {
    try {
        return runtime::GpuDevice(0);
    } catch (const Error& error) {
        fmt::print("no plans: {}\n", error.what());
        return std::nullopt;
    }
}

/// Milliseconds of an unchecked plan, first without and then with the cache.
struct Planned {
    std::optional<double> first, cached; ///< nothing without a driver, or without room
};
Planned planned(const Transform& problem, const std::optional<runtime::GpuDevice>& device) {
    if (!device) return {};
    const auto plan = [&] {
        search::make_plan(problem, search::GpuTarget(*device), {.check = false, .use_wisdom = false});
    };
    try {
        const double first = milliseconds_of(plan, 1);
        return {first, milliseconds_of(plan, rounds)};
    } catch (const OutOfMemory&) {
        return {};
    }
}

std::string text_of(const std::optional<double>& milliseconds) {
    return milliseconds ? fmt::format("{:>9.2f}", *milliseconds) : fmt::format("{:>9}", "-");
}

void report(const Transform& problem, const target::Gpu& gpu, const std::optional<runtime::GpuDevice>& device,
            JsonLines& json) {
    const planning::Schedule schedule = search::gpu_schedule(problem, gpu);
    const double choosing = milliseconds_of([&] { search::gpu_schedule(problem, gpu); }, rounds);
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, schedule);
    std::vector<planning::GpuDerivation> derivations;
    const double deriving = milliseconds_of(
        [&] {
            derivations.clear();
            for (std::size_t k = 0; k < passes.size(); ++k)
                derivations.push_back(
                    planning::derive_for_gpu(problem, passes[k], schedule.transform().passes[k], gpu));
        },
        rounds);
    std::size_t kernels = 0, bytes = 0;
    const double writing = milliseconds_of(
        [&] {
            kernels = bytes = 0;
            for (const planning::GpuDerivation& pass : derivations)
                for (const ir::Program& program : pass.programs) {
                    bytes += emit::ptx(program, planning::ptx_options(gpu, program)).size();
                    ++kernels;
                }
        },
        rounds);
    const Planned plans = planned(problem, device);
    const std::string text = to_text(problem), chosen = planning::to_string(schedule);
    fmt::print("{:<32}{:>9.2f}{:>9.2f}{:>9.2f}{}{}{:>9}{:>9}  {}\n", text, choosing, deriving, writing,
               text_of(plans.first), text_of(plans.cached), kernels, bytes, chosen);
    const auto known = [](const std::optional<double>& value) {
        return value ? cli::Json(*value) : cli::Json(nullptr);
    };
    json.write({{"problem", text},
                {"milliseconds",
                 {{"choosing", choosing},
                  {"deriving", deriving},
                  {"ptx", writing},
                  {"first", known(plans.first)},
                  {"cached", known(plans.cached)}}},
                {"kernels", kernels},
                {"bytes", bytes},
                {"schedule", chosen}});
}

int run(ProblemOptions problems, JsonLines& json) {
    if (problems.given.empty() && problems.file.empty()) problems.draw = "transforms";
    const TemporaryFolder folder;
    setenv("SWIRL_KERNEL_CACHE", (folder.path() / "kernels").c_str(), 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1); // the driver's own cache would bypass the compiler
    const std::optional<runtime::GpuDevice> device = first_gpu();
    fmt::print("{:<32}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}  {}\n", "milliseconds, medians", "choosing",
               "deriving", "PTX", "first", "cached", "kernels", "bytes", "schedule");
    for (const Problem& problem : problems.problems(true))
        if (const auto* const transform = std::get_if<Transform>(&problem))
            report(*transform, target::gpu_named("sm_90"), device, json);
    return 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    ProblemOptions problems{.count = 20};
    JsonLines json;
    return main_of({.description = "Planning time for a GPU: choosing, deriving, writing PTX, and plans.",
                    .add_options =
                        [&](CLI::App& program) {
                            problems.add_to(program);
                            json.add_to(program);
                        },
                    .run = [&](const std::string&) { return run(problems, json); }},
                   count, values);
}
