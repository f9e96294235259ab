#include "bench/cpu.hpp"

#include "base/error.hpp"
#include "bench/support/rounds.hpp"
#include "cli/run_record.hpp"
#include "runtime/cpu/affinity.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace swirl::bench {
namespace {

/// Minimum seconds between two clock readings, so that the overhead of a call of a std::function is negligible.
constexpr double shortest_run = 2e-5;

/// The number of executions that lasts so long, rounded up to a power of two.
std::size_t executions_lasting(double seconds, const Work& work) {
    for (std::size_t count = 1;; count *= 2) {
        const double start = runtime::monotonic_seconds();
        work.run(0, count);
        if (runtime::monotonic_seconds() - start >= seconds) return count;
    }
}

class Cpu : public Device {
public:
    explicit Cpu(const Options& options) : options_(options) {
        if (options.planning.threads == 1) pinned_.emplace(options.core);
        probe_ = options.probed ? search::known_probe(*search::shared_wisdom(true)) : search::probe();
    }

    std::unique_ptr<Measurement> prepare(const Problem& problem) override {
        return std::visit([&](const auto& one) { return measurement_on_cpu(one, options_, probe_); },
                          problem);
    }

    cli::Json machine() const override {
        const bool is_pinned = pinned_ && pinned_->is_pinned();
        cli::Json machine = cli::machine_record(probe_);
        machine["processor"] = is_pinned ? runtime::allowed_processors().front() : -1;
        return machine;
    }

private:
    Options options_;
    std::optional<runtime::PinnedThread> pinned_;
    search::HostProbe probe_;
};

} // namespace

std::vector<Times> time_on_cpu(std::span<const Work> works, const Restoring& restoring,
                               const Options& options) {
    const bool on_one_thread = options.planning.threads == 1;
    std::vector<std::size_t> counts;
    std::vector<runtime::TimedWork> timed;
    const runtime::FlushDenormals flush;
    for (const Work& work : works) {
        const std::size_t count = restoring.every == 0 ? executions_lasting(shortest_run, work) : 1;
        counts.push_back(count);
        timed.push_back(
            {.run = [&run = work.run, count,
                     first = std::size_t{0}]() mutable { run(std::exchange(first, first + count), count); },
             .restore = restoring.restore,
             .restore_every = restoring.every});
    }
    RoundOptions rounds{.rounds = options.rounds, .seconds = options.seconds, .on_one_thread = on_one_thread};
    rounds.min_rounds = std::min(rounds.min_rounds, rounds.rounds);
    const auto samples = run_rounds(timed, rounds);
    std::vector<Times> times;
    for (std::size_t k = 0; k < works.size(); ++k) {
        const runtime::Measurement all = runtime::summarize(samples[k]);
        const auto count = static_cast<double>(counts[k]);
        times.push_back({.median = all.median / count, .minimum = all.minimum / count});
    }
    return times;
}

std::vector<std::string> best_and_others(std::span<const std::string> ranked, std::size_t count) {
    const std::size_t best = std::min((count + 1) / 2, ranked.size()), rest = ranked.size() - best;
    std::vector<std::string> result(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(best));
    const std::size_t others = std::min(count - best, rest);
    for (std::size_t k = 0; k < others; ++k)
        result.push_back(ranked[best + (2 * k + 1) * rest / (2 * others)]);
    return result;
}

std::unique_ptr<Device> open_cpu(const Options& options) { return std::make_unique<Cpu>(options); }

} // namespace swirl::bench
