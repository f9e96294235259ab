#include "fuzz/reference.hpp"
#include "fuzz/workers.hpp"

#include <swirl/plan.hpp>

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <span>

namespace swirl::fuzz {
namespace {

constexpr FuzzTarget fuzz_targets[] = {{"transforms", fuzz_transform, 4}, {"callbacks", fuzz_callbacks, 3},
                                       {"formulas", fuzz_formula, 1},     {"products", fuzz_product, 2},
                                       {"kernels", fuzz_kernel, 1},       {"texts", fuzz_text, 2},
                                       {"wisdom", fuzz_wisdom, 2}};
constexpr FuzzTarget gpu_targets[] = {
    {"transforms", fuzz_gpu_transform, 3}, {"products", fuzz_gpu_product, 3}, {"wisdom", fuzz_gpu_wisdom, 1}};

std::string names_of(std::span<const FuzzTarget> some) {
    std::string names;
    for (const FuzzTarget& fuzz_target : some)
        names += (names.empty() ? "" : ", ") + std::string(fuzz_target.name);
    return names;
}

std::vector<std::string> cpus_of(const std::string& word) {
    std::vector<std::string> cpus;
    for (const char* cpu : {"portable", "sse2", "avx2", "avx512"}) {
        if (word != "all" && word != cpu) continue;
        try {
            static_cast<void>(plan("dft 2", {.cpu = cpu, .use_wisdom = false}));
            cpus.emplace_back(cpu);
        } catch (const Unavailable&) {
            if (word != "all") throw; // what this machine lacks is left out only where all are asked for
        }
    }
    if (cpus.empty()) throw UserError("--cpu is " + word + "; use portable, sse2, avx2, avx512 or all");
    return cpus;
}

/// The same for all runs of a day.
std::uint64_t seed_of_the_day() {
    const std::time_t time = std::time(nullptr);
    std::tm day{};
    ::gmtime_r(&time, &day);
    constexpr int first_year = 1900, hundred = 100;
    return static_cast<std::uint64_t>(((day.tm_year + first_year) * hundred + day.tm_mon + 1) * hundred +
                                      day.tm_mday);
}

int fuzz(int count, char** words) {
    CLI::App program("Random transforms and products against references in long double");
    Work work;
    std::string cpu = "all", device = "cpu", only;
    Integer points = 0;
    work.seed = seed_of_the_day();
    program.add_option("--seconds", work.seconds, "How long")->capture_default_str();
    program.add_option("--cases", work.cases, "Stop after so many; 0: when the time is over")
        ->capture_default_str();
    program.add_option("--seed", work.seed, "The date, unless given")->capture_default_str();
    const CLI::Option* const jobs_option =
        program.add_option("--jobs", work.jobs, "Processes at a time; 1, or 4 on a GPU")
            ->check(CLI::Range(1, 256));
    program.add_option("--cpu", cpu, "portable, sse2, avx2, avx512 or all")->capture_default_str();
    program.add_option("--device", device, "cpu, or gpu: the first GPU")
        ->capture_default_str()
        ->check(CLI::IsMember({"cpu", "gpu"}));
    program.add_option("--only", only,
                       "One of " + names_of(fuzz_targets) + "; on a GPU of " + names_of(gpu_targets));
    program.add_option("--case", work.only_case, "Only this case of the target that --only names");
    program.add_option("--max-points", points, "Of a transform");
    program.add_option("--case-seconds", work.case_seconds, "A case that takes longer hangs")
        ->capture_default_str();
    program
        .add_option("--tolerance", work.setting.tolerance, "Of transforms, in units of epsilon*sqrt(log2 n)")
        ->capture_default_str();
    CLI11_PARSE(program, count, words);

    const bool on_gpu = device == "gpu";
    for (const FuzzTarget& fuzz_target :
         on_gpu ? std::span<const FuzzTarget>(gpu_targets) : std::span<const FuzzTarget>(fuzz_targets))
        if ((only.empty() || only == fuzz_target.name)) work.fuzz_targets.push_back(fuzz_target);
    if (work.fuzz_targets.empty())
        throw UserError("--only is " + only + "; use one of " + names_of(fuzz_targets) + "; on a GPU of " +
                        names_of(gpu_targets));
    if (work.only_case >= 0 && only.empty()) throw UserError("--case needs --only");
    if (!has_fast_reference()) work.setting.limits.points = 4096; // by the definition alone
    if (points > 0) {
        work.setting.limits.points = points;
        work.setting.limits.elements = std::max(work.setting.limits.elements, points);
        work.setting.limits.span = std::max(work.setting.limits.span, 4 * points);
        work.options += fmt::format(" --max-points {}", points);
    }
    work.setting.on_gpu = on_gpu;
    // Nothing of CUDA is called in this process, as workers forked from it could not use it any more.
    work.cpus = on_gpu ? std::vector<std::string>{"gpu"} : cpus_of(cpu);
    constexpr int jobs_on_gpu = 4;
    if (on_gpu && jobs_option->empty()) work.jobs = jobs_on_gpu;
    // What is asked of swirl here is to plan anew, and to leave the user's files alone.
    ::setenv("SWIRL_WISDOM", ":memory:", 0);
    ::setenv("SWIRL_KERNEL_CACHE", "off", 0);
    fmt::print("fuzz: seed {}, {} seconds, {} jobs, {}{}\n", work.seed, work.seconds, work.jobs,
               fmt::join(work.cpus, " "), has_fast_reference() ? "" : ", without FFTW");
    return run(work) ? 0 : 1;
}

} // namespace
} // namespace swirl::fuzz

int main(int count, char** words) {
    try {
        return swirl::fuzz::fuzz(count, words);
    } catch (const std::exception& error) {
        fmt::print(stderr, "fuzz: {}\n", error.what());
        return 2;
    }
}
