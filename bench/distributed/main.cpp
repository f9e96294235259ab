// Transforms divided among ranks that are threads of this process, with and without passes of their own that sort elements into
// messages, beside one plan of the whole transform.

#include "bench/support/program.hpp"
#include "cli/problems.hpp"

#include <swirl/distributed/plan.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

struct Options {
    std::vector<std::string> words;
    int ranks = 2;
    double seconds = 2;
    std::string boxes = "slabs";
    std::string schedule = {};
    int draw = 0;
    std::uint64_t seed = 1;
    bool measure = false;
    bool machine = false;
};

bool has_only_small_factors(Integer n) {
    for (const Integer factor : {2, 3, 5, 7})
        while (n % factor == 0) n /= factor;
    return n == 1;
}

/// Transforms of three dimensions whose lengths have no factor above 7, of 2¹⁷ to 2²³ elements; every second one of reals.
std::vector<Transform> drawn(int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Integer> lengths;
    for (Integer n = 32; n <= 256; ++n)
        if (has_only_small_factors(n)) lengths.push_back(n);
    std::vector<Transform> result;
    while (result.size() < static_cast<std::size_t>(count)) {
        const auto next = [&] { return lengths[static_cast<std::size_t>(random() % lengths.size())]; };
        const Integer a = next(), b = next(), c = next();
        if (a * b * c < 1 << 17 || a * b * c > 1 << 23) continue;
        result.push_back(
            parse_transform(fmt::format("{} {}x{}x{}", result.size() % 2 == 0 ? "dft" : "rdft", a, b, c)));
    }
    return result;
}

/// Seconds of each round.
using Times = std::vector<double>;

struct Variant {
    std::string name;
    Times times = {};
    std::string schedule = {};
    Integer bytes_copied = 0;
};

std::vector<distributed::Box> boxes_of(const std::string& name, const std::vector<Integer>& lengths,
                                       int ranks) {
    if (name == "bricks") return distributed::bricks(lengths, ranks);
    if (name == "pencils") return distributed::pencils(lengths, ranks, lengths.size() - 1);
    return distributed::slabs(lengths, ranks);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Variant> measure(const Transform& problem, const Options& options) {
    std::vector<Variant> variants{{"shared memory"},   {"output free"},    {"messages in plans"},
                                  {"messages copied"}, {"free, messages"}, {"one plan"}};
    const Plan whole = plan(problem, {.threads = options.ranks});
    const auto size = [](const std::vector<Integer>& lengths) {
        std::size_t product = 2; // real or complex
        for (const Integer n : lengths) product *= static_cast<std::size_t>(n);
        return product;
    };
    const std::vector<Integer> in = distributed::input_lengths(problem),
                               out = distributed::output_lengths(problem);
    std::vector<double> whole_in(size(in), 0.5), whole_out(size(out));
    const auto start = std::chrono::steady_clock::now();
    distributed::run_ranks(options.ranks, [&](distributed::Communicator& communicator) {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        distributed::RankBoxes boxes{boxes_of(options.boxes, in, options.ranks)[rank],
                                     boxes_of(options.boxes, out, options.ranks)[rank]};
        distributed::DistributedOptions direct, messages, copied;
        direct.schedule = messages.schedule = copied.schedule = options.schedule;
        if (options.measure) direct.local.effort = Effort::measure;
        if (options.machine) distributed::measure_machine(communicator);
        messages.messages = true;
        copied.separate_copies = true;
        const distributed::RankBoxes free{boxes.input};
        const std::vector<distributed::DistributedPlan> plans{
            distributed::plan(problem, communicator, boxes, direct),
            distributed::plan(problem, communicator, free),
            distributed::plan(problem, communicator, boxes, messages),
            distributed::plan(problem, communicator, boxes, copied),
            distributed::plan(problem, communicator, free, {.messages = true}),
        };
        std::size_t most = 1;
        for (const auto& each : plans)
            most = std::max({most, 2 * static_cast<std::size_t>(elements(each.input_box())),
                             2 * static_cast<std::size_t>(elements(each.output_box()))});
        std::vector<double> x(most, 0.5), y(most);
        for (int round = 0;; ++round) {
            // rank 0 says whether to go on
            const auto is_over = static_cast<std::byte>(round > 4 && seconds_since(start) > options.seconds);
            if (communicator.gather_all({is_over}).front() == std::vector{std::byte{1}}) break;
            for (std::size_t v = 0; v < variants.size(); ++v) {
                communicator.barrier();
                const auto begin = std::chrono::steady_clock::now();
                if (v < plans.size())
                    plans[v].execute(static_cast<const void*>(x.data()), static_cast<void*>(y.data()));
                else if (rank == 0)
                    whole.execute(static_cast<const void*>(whole_in.data()),
                                  static_cast<void*>(whole_out.data()));
                communicator.barrier();
                if (rank == 0 && round > 0) variants[v].times.push_back(seconds_since(begin));
            }
        }
        if (rank == 0)
            for (std::size_t v = 0; v < plans.size(); ++v) {
                variants[v].schedule = plans[v].schedule();
                variants[v].bytes_copied = plans[v].bytes_copied();
            }
    });
    return variants;
}

double least(const Variant& variant) { return *std::min_element(variant.times.begin(), variant.times.end()); }

int run(const Options& options, const std::string&) {
    std::vector<Transform> problems = drawn(options.draw, options.seed);
    if (!options.words.empty())
        for (const Transform& given : cli::parse_problems(options.words)) problems.push_back(given);
    std::vector<double> ratios;
    for (const Transform& problem : problems) {
        fmt::print("{} on {} ranks\n", to_text(problem), options.ranks);
        const std::vector<Variant> variants = measure(problem, options);
        for (const Variant& variant : variants)
            fmt::print("  {:<20}{:>9.3f} ms median{:>9.3f} ms least{:>12} bytes copied  {}\n", variant.name,
                       1e3 * median_of(variant.times), 1e3 * least(variant), variant.bytes_copied,
                       variant.schedule);
        const double ratio = least(variants.front()) / least(variants.back());
        ratios.push_back(ratio);
        fmt::print("  shared memory takes {:.2f} times as long as one plan (least), {:.2f} (median)\n", ratio,
                   median_of(variants.front().times) / median_of(variants.back().times));
        std::fflush(stdout);
    }
    if (ratios.size() > 1)
        fmt::print("{} problems, seed {}: ratio of least times {:.2f} median, {:.2f} largest\n",
                   ratios.size(), options.seed, median_of(ratios),
                   *std::max_element(ratios.begin(), ratios.end()));
    return 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    Options options;
    return main_of(
        {"Time transforms divided among ranks that are threads of this process",
         [&](CLI::App& program) {
             program.add_option("PROBLEM", options.words, "Transforms");
             program.add_option("--draw", options.draw, "Draw so many transforms of three dimensions");
             program.add_option("--seed", options.seed, "Of the draw")->capture_default_str();
             program.add_option("--ranks", options.ranks, "Threads")->capture_default_str();
             program.add_option("--seconds", options.seconds, "For each problem")->capture_default_str();
             program.add_option("--boxes", options.boxes, "slabs, pencils or bricks, on both sides")
                 ->capture_default_str();
             program.add_flag("--measure", options.measure, "Schedules in shared memory by Effort::measure");
             program.add_flag("--machine", options.machine, "Measure the machine first, for wisdom");
             program.add_option("--schedule", options.schedule,
                                "Of plans whose output is given; default: chosen");
         },
         [&](const std::string& command) { return run(options, command); }},
        count, values);
}
