// How long it takes until the PTX of a plan for a GPU is there, and what of that takes how long. Needs no GPU.

#include "base/error.hpp"
#include "emit/ptx.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/gpu_sequence.hpp"
#include "problem/syntax.hpp"
#include "search/gpu_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

constexpr int rounds = 15;

const char* const usual_problems[] = {
    "dft 16 batch=1000000",
    "dft 60",
    "dft 1024",
    "dft 1024 batch=65536",
    "dft 2310 batch=1000",
    "dft 5040 batch=1000",
    "dft 4096 float64",
    "dft 65536 batch=100",
    "dft 1048576",
    "dft 720720",
    "dft 1021 batch=10000",
    "rdft 4096 batch=1000",
    "dft 512x512",
    "dft 128x128x128",
    "dct2 1000 batch=100",
    "dft 1024 float32 batch=65536",
};

/// The median of several runs, in milliseconds.
template <class Action> double milliseconds_of(const Action& action) {
    std::vector<double> times;
    for (int k = 0; k < rounds; ++k) {
        const auto start = std::chrono::steady_clock::now();
        action();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void report(const std::string& text, const target::Gpu& gpu) {
    const Problem problem = parse_problem(text);
    const planning::Recipe recipe = search::gpu_recipe(problem, gpu);
    const double choosing = milliseconds_of([&] { search::gpu_recipe(problem, gpu); });
    const std::vector<planning::Stage> stages = planning::gpu_stages(problem, recipe);
    std::vector<planning::GpuDerivation> steps;
    const double deriving = milliseconds_of([&] {
        steps.clear();
        for (std::size_t k = 0; k < stages.size(); ++k)
            steps.push_back(planning::derive_for_gpu(problem, stages[k], recipe.steps[k], gpu));
    });
    std::size_t kernels = 0, bytes = 0;
    const double writing = milliseconds_of([&] {
        kernels = bytes = 0;
        for (const planning::GpuDerivation& step : steps)
            for (const ir::Program& program : step.programs) {
                bytes += emit::ptx(program, planning::ptx_options(gpu)).size();
                ++kernels;
            }
    });
    fmt::print("{:<32}{:>9.2f}{:>9.2f}{:>9.2f}{:>9}{:>9}  {}\n", text, choosing, deriving, writing, kernels,
               bytes, planning::to_string(recipe));
}

void run(std::vector<std::string> problems) {
    if (problems.empty()) problems.assign(std::begin(usual_problems), std::end(usual_problems));
    fmt::print("{:<32}{:>9}{:>9}{:>9}{:>9}{:>9}  {}\n", "milliseconds, medians", "choosing", "deriving",
               "PTX", "kernels", "bytes", "recipe");
    for (const std::string& problem : problems) report(problem, target::gpu_named("sm_90"));
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
