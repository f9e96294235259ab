// Libraries with FFTW's interface, such as FFTW's own and swirl's: how long planning takes, the first time and again, and
// how long a call of a planned transform.

#include <swirl-fftw/fftw3.h>

#include "base/error.hpp"
#include "bench/support/given_library.hpp"
#include "bench/support/program.hpp"
#include "runtime/cpu/affinity.hpp"
#include "runtime/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

struct Options {
    std::vector<std::string> libraries;
    int count = 300;
    int largest = 4096;
    std::uint64_t seed = 1;
    std::vector<int> lengths = {2, 4, 8, 16, 32, 64, 128, 256, 1024};
    int core = -1;
    JsonLines json;
};

struct Library {
    std::string name;
    decltype(&fftw_plan_dft_1d) plan;
    decltype(&fftw_execute) execute;
    decltype(&fftw_destroy_plan) destroy;
};

Library opened(const std::string& file) {
    const GivenLibrary library(file);
    return {library.symbol<const char>("fftw_version"),
            library.symbol<decltype(fftw_plan_dft_1d)>("fftw_plan_dft_1d"),
            library.symbol<decltype(fftw_execute)>("fftw_execute"),
            library.symbol<decltype(fftw_destroy_plan)>("fftw_destroy_plan")};
}

struct Data {
    std::vector<double> input, output;
    explicit Data(int n) : input(2 * static_cast<std::size_t>(n)), output(input.size()) {}
    fftw_complex* in() { return reinterpret_cast<fftw_complex*>(input.data()); }
    fftw_complex* out() { return reinterpret_cast<fftw_complex*>(output.data()); }
};

fftw_plan planned(const Library& library, int n, Data& data) {
    const fftw_plan plan = library.plan(n, data.in(), data.out(), FFTW_FORWARD, FFTW_ESTIMATE);
    if (plan == nullptr) throw UserError("{} has no plan for {} points", library.name, n);
    return plan;
}

/// Planning each length for the first time, and again while the first plan lives. Counts the thread's time on a processor,
/// which other programs disturb less.
void time_planning(const Library& library, const std::vector<int>& lengths, Options& options) {
    std::vector<double> first, again;
    for (const int n : lengths) {
        Data data(n);
        const double begin = runtime::thread_seconds();
        const fftw_plan plan = planned(library, n, data);
        const double between = runtime::thread_seconds();
        library.destroy(planned(library, n, data));
        again.push_back(runtime::thread_seconds() - between);
        first.push_back(between - begin);
        library.destroy(plan);
    }
    std::sort(first.begin(), first.end());
    double sum = 0;
    for (const double seconds : first) sum += seconds;
    fmt::print(
        "{:<26} first plan: median {:.0f} µs, nine tenths below {:.0f} µs, all {:.2f} s; again: median "
        "{:.1f} µs\n",
        library.name, 1e6 * median_of(first), 1e6 * first[first.size() * 9 / 10], sum,
        1e6 * median_of(again));
    options.json.write({{"library", library.name},
                        {"first_plan_seconds", median_of(first)},
                        {"planned_again_seconds", median_of(again)}});
}

/// The fastest of some batches of calls.
double seconds_of_a_call(const Library& library, int n) {
    Data data(n);
    const fftw_plan plan = planned(library, n, data);
    constexpr int batches = 200;
    const int calls = std::max(1, 20000 / n);
    double best = 1;
    for (int batch = 0; batch < batches; ++batch) {
        const double begin = runtime::monotonic_seconds();
        for (int call = 0; call < calls; ++call) library.execute(plan);
        best = std::min(best, (runtime::monotonic_seconds() - begin) / calls);
    }
    library.destroy(plan);
    return best;
}

int run(Options& options) {
    std::vector<Library> libraries;
    for (const std::string& file : options.libraries) libraries.push_back(opened(file));
    std::optional<runtime::PinnedThread> pinned;
    if (options.core >= 0) pinned.emplace(options.core);

    std::mt19937_64 random(options.seed);
    std::vector<int> lengths;
    for (int k = 0; k < options.count; ++k)
        lengths.push_back(std::uniform_int_distribution<int>(1, options.largest)(random));
    std::sort(lengths.begin(), lengths.end());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    std::shuffle(lengths.begin(), lengths.end(), random);
    for (const Library& library : libraries) {
        Data data(1);
        library.destroy(planned(library, 1, data)); // what happens once in a process
        time_planning(library, lengths, options);
    }

    fmt::print("\nnanoseconds of a call\n{:>6}", "n");
    for (const Library& library : libraries) fmt::print("  {:>24}", library.name);
    fmt::print("\n");
    for (const int n : options.lengths) {
        fmt::print("{:>6}", n);
        for (const Library& library : libraries) {
            const double seconds = seconds_of_a_call(library, n);
            fmt::print("  {:>24.1f}", 1e9 * seconds);
            options.json.write({{"library", library.name}, {"n", n}, {"seconds", seconds}});
        }
        fmt::print("\n");
    }
    return 0;
}

void add_options(CLI::App& program, Options& options) {
    program
        .add_option("libraries", options.libraries,
                    "Files of libraries, such as build/release/swirl-fftw/libfftw3.so.3")
        ->required();
    program.add_option("--count", options.count, "Lengths that are drawn to be planned")
        ->check(CLI::PositiveNumber);
    program.add_option("--largest", options.largest, "The largest of them")->check(CLI::PositiveNumber);
    program.add_option("--seed", options.seed, "The same seed draws the same lengths");
    program.add_option("--lengths", options.lengths, "Lengths whose calls are timed")->delimiter(',');
    program.add_option("--core", options.core, "Stay on this processor");
    options.json.add_to(program);
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    return main_of(
        {.description = "Planning and calls of libraries with FFTW's interface: complex transforms in double",
         .add_options = [&](CLI::App& program) { add_options(program, options); },
         .run = [&](const std::string&) { return run(options); }},
        count, values);
}
