#include "search/timer/gpu/interleaved_timing.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cuda/graph.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace swirl::search {
namespace {

constexpr int max_rounds = 101;
constexpr double max_executions = 1000; // per sample

/// A candidate being timed, with its sampling method.
class Sampled {
public:
    Sampled(const runtime::GpuStream& stream, const GpuWork& candidate,
            const InterleavedTimingOptions& options)
        : stream_(stream), candidate_(candidate) {
        candidate.launch(0); // first-launch overhead
        stream.synchronize();
        const runtime::GpuEvent start(stream.device()), end(stream.device());
        constexpr int tries = 3;
        start.record(stream);
        for (std::size_t k = 0; k < tries; ++k) candidate.launch(k);
        end.record(stream);
        end.synchronize();
        const double once = std::max(end.seconds_since(start) / tries, 5e-7);
        executions_ =
            static_cast<std::size_t>(std::clamp(std::ceil(options.sample / once), 1.0, max_executions));
        seconds_ = once * static_cast<double>(executions_);
        if (runtime::GpuGraph::is_supported(stream.device().driver()) &&
            (options.always_replayed || once < options.replayed_below))
            graph_.emplace(stream, [&] { put(); });
        stream.synchronize();
    }

    void run() {
        if (graph_)
            graph_->launch(stream_);
        else
            put();
    }
    double seconds() const { return seconds_; }
    std::size_t executions() const { return executions_; }
    bool is_replayed() const { return graph_.has_value(); }

private:
    void put() {
        for (std::size_t k = 0; k < executions_; ++k) candidate_.launch(next_++);
    }

    const runtime::GpuStream& stream_;
    const GpuWork& candidate_;
    std::size_t executions_ = 1;
    double seconds_ = 0;
    std::size_t next_ = 0;
    std::optional<runtime::GpuGraph> graph_;
};

struct Marks {
    runtime::GpuEvent start, end;
};

/// Rounds over all valid candidates; each round begins with a different one, so that the influence of a candidate on
/// its successor affects all alike.
void run_rounds(const runtime::GpuStream& stream, std::vector<std::optional<Sampled>>& all, int rounds,
                std::vector<std::vector<Marks>>* marks, const std::function<void()>& ask) {
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < all.size(); ++k) {
            ForkSection::let_forks_pass();
            ask();
            const std::size_t which = (k + static_cast<std::size_t>(round)) % all.size();
            if (!all[which]) continue;
            if (marks == nullptr) {
                all[which]->run();
                continue;
            }
            Marks& pair = (*marks)[which].emplace_back(
                Marks{runtime::GpuEvent(stream.device()), runtime::GpuEvent(stream.device())});
            pair.start.record(stream);
            all[which]->run();
            pair.end.record(stream);
        }
}

} // namespace

std::vector<InterleavedTimes> time_interleaved(const runtime::GpuStream& stream,
                                               std::span<const GpuWork> candidates,
                                               const InterleavedTimingOptions& options) {
    const auto ask = [&] {
        if (!options.interrupt) return;
        try {
            options.interrupt();
        } catch (...) {
            stream.synchronize(); // what is enqueued uses the candidates
            throw;
        }
    };
    std::vector<InterleavedTimes> result(candidates.size());
    std::vector<std::optional<Sampled>> sampled(candidates.size());
    double seconds_of_round = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        ask();
        try {
            sampled[k].emplace(stream, candidates[k], options);
            seconds_of_round += sampled[k]->seconds();
        } catch (const std::exception& error) {
            sampled[k].reset();
            result[k].failed_because = error.what();
        }
    }
    if (seconds_of_round == 0) return result;
    const double warm_up = options.warm_up * static_cast<double>(candidates.size());
    run_rounds(stream, sampled, static_cast<int>(std::ceil(std::min(warm_up / seconds_of_round, 100.0))),
               nullptr, ask);
    const double wanted = std::ceil(options.seconds / seconds_of_round);
    const int rounds =
        static_cast<int>(std::clamp(wanted, static_cast<double>(options.min_rounds), double{max_rounds})) | 1;
    std::vector<std::vector<Marks>> marks(candidates.size());
    run_rounds(stream, sampled, rounds, &marks, ask);
    stream.synchronize();
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        if (!sampled[k]) continue;
        const auto executions = static_cast<double>(sampled[k]->executions());
        for (const Marks& pair : marks[k])
            result[k].samples.push_back(pair.end.seconds_since(pair.start) / executions);
        result[k].time = runtime::summarize(result[k].samples);
        result[k].time.repetitions = static_cast<Integer>(sampled[k]->executions()) * rounds;
        result[k].is_replayed = sampled[k]->is_replayed();
    }
    return result;
}

double ratio_of(const InterleavedTimes& a, const InterleavedTimes& b) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < std::min(a.samples.size(), b.samples.size()); ++k)
        ratios.push_back(a.samples[k] / b.samples[k]);
    if (ratios.empty()) return 0;
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
}

} // namespace swirl::search
