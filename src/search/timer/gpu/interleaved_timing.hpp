#pragma once

#include "runtime/cuda/stream.hpp"
#include "runtime/timer.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Times several candidates interleaved, by the GPU's clock.
namespace swirl::search {

struct GpuWork {
    /// Enqueues one execution on the stream, on the arrays of this index. Executions count up from 0.
    std::function<void(std::size_t execution)> launch;
};

struct InterleavedTimingOptions {
    double seconds = 0.3;  ///< GPU time for all samples, approximate
    double warm_up = 0.02; ///< warm-up per candidate before the first sample, in seconds
    double sample = 3e-3;  ///< minimum length of a sample in seconds; it repeats the execution to reach it
    /// Seconds; shorter executions are captured into a graph, one sample each, and replayed.
    double replayed_below = 1e-4;
    bool always_replayed = false;
    int min_rounds = 7;
    /// Called before each candidate is prepared and before each sample, unless empty; may throw to end the timing.
    std::function<void()> interrupt = {};
};

struct InterleavedTimes {
    std::string failed_because; ///< empty if timed
    runtime::Measurement time;
    std::vector<double> samples; ///< seconds per execution, one sample per round
    bool is_replayed = false;
};

/// Takes one sample of each candidate per round, all enqueued without waiting. A candidate that throws is dropped.
/// The stream is idle when this returns or throws.
std::vector<InterleavedTimes> time_interleaved(const runtime::GpuStream& stream,
                                               std::span<const GpuWork> candidates,
                                               const InterleavedTimingOptions& options = {});

/// Median over rounds of a's time divided by b's.
double ratio_of(const InterleavedTimes& a, const InterleavedTimes& b);

} // namespace swirl::search
