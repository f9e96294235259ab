// Planning time for a GPU: choosing a schedule, deriving its kernels, generating PTX; and, if a driver is present, the
// total with compilation, then once more from the cache. Without a GPU it reports the first three; a dummy driver
// suffices for the rest.

#include "base/error.hpp"
#include "bench/support/draw.hpp"
#include "emit/ptx/ptx.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

constexpr int rounds = 15;

/// The median of `runs` runs, in milliseconds.
template <class Action> double milliseconds_of(const Action& action, int runs = rounds) {
    std::vector<double> times;
    for (int k = 0; k < runs; ++k) {
        const auto start = std::chrono::steady_clock::now();
        action();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

std::optional<runtime::GpuDevice> first_gpu() {
    try {
        return runtime::GpuDevice(0);
    } catch (const Error& error) {
        fmt::print("no plans: {}\n", error.what());
        return std::nullopt;
    }
}

/// An unchecked plan, first without and then with the cache, in milliseconds.
std::string planned(const Transform& problem, const std::optional<runtime::GpuDevice>& device) {
    if (!device) return fmt::format("{:>9}{:>9}", "-", "-");
    const auto plan = [&] {
        search::make_plan(problem, search::GpuTarget(*device), {.check = false, .use_wisdom = false});
    };
    try {
        const double first = milliseconds_of(plan, 1);
        return fmt::format("{:>9.2f}{:>9.2f}", first, milliseconds_of(plan));
    } catch (const OutOfMemory&) {
        return fmt::format("{:>9}{:>9}", "no memory", "-");
    }
}

void report(const std::string& text, const target::Gpu& gpu,
            const std::optional<runtime::GpuDevice>& device) {
    const Transform problem = parse_transform(text);
    const planning::Schedule schedule = search::gpu_schedule(problem, gpu);
    const double choosing = milliseconds_of([&] { search::gpu_schedule(problem, gpu); });
    const std::vector<planning::DimensionPass> passes = planning::gpu_passes(problem, schedule);
    std::vector<planning::GpuDerivation> derivations;
    const double deriving = milliseconds_of([&] {
        derivations.clear();
        for (std::size_t k = 0; k < passes.size(); ++k)
            derivations.push_back(
                planning::derive_for_gpu(problem, passes[k], schedule.transform().passes[k], gpu));
    });
    std::size_t kernels = 0, bytes = 0;
    const double writing = milliseconds_of([&] {
        kernels = bytes = 0;
        for (const planning::GpuDerivation& pass : derivations)
            for (const ir::Program& program : pass.programs) {
                bytes += emit::ptx(program, planning::ptx_options(gpu, program)).size();
                ++kernels;
            }
    });
    fmt::print("{:<32}{:>9.2f}{:>9.2f}{:>9.2f}{}{:>9}{:>9}  {}\n", text, choosing, deriving, writing,
               planned(problem, device), kernels, bytes, planning::to_string(schedule));
}

void run(std::vector<std::string> problems) {
    if (problems.empty())
        for (const Problem& drawn : draw({.on_gpu = true, .count = 20})) problems.push_back(to_text(drawn));
    const TemporaryFolder folder;
    setenv("SWIRL_KERNEL_CACHE", (folder.path() / "kernels").c_str(), 1);
    setenv("CUDA_CACHE_DISABLE", "1", 1); // the driver's own cache would bypass the compiler
    const std::optional<runtime::GpuDevice> device = first_gpu();
    fmt::print("{:<32}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}  {}\n", "milliseconds, medians", "choosing",
               "deriving", "PTX", "first", "cached", "kernels", "bytes", "schedule");
    for (const std::string& problem : problems) report(problem, target::gpu_named("sm_90"), device);
}

} // namespace
} // namespace swirl::bench

int main(int count, char** arguments) {
    try {
        swirl::bench::run({arguments + 1, arguments + count});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_gpu_planning: %s\n", error.what());
        return 1;
    }
}
