#pragma once

#include "runtime/cuda_stream.hpp"
#include "runtime/timer.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Times several contenders in turn, by the GPU's clock.
namespace swirl::search {

struct GpuWork {
    /// Puts one execution into the stream, on the arrays of this number. Executions count up from 0.
    std::function<void(std::size_t execution)> launch;
};

struct GpuTurnOptions {
    double seconds = 0.3;  ///< of the GPU's time for all samples, roughly
    double warm_up = 0.02; ///< seconds of each contender before the first sample
    double sample = 3e-3;  ///< seconds that a sample takes at least: so many executions one after the other
    double replayed_below =
        1e-4; ///< seconds; shorter executions are recorded into a graph, a sample of them, and replayed
    bool always_replayed = false;
    int fewest_rounds = 7;
};

struct GpuTurns {
    std::string failed_because; ///< empty where there are times
    runtime::Measurement time;
    std::vector<double> samples; ///< seconds of an execution, in each round
    bool is_replayed = false;
};

/// A sample of each contender in each round, all put into the stream without waiting. One that throws is left out.
std::vector<GpuTurns> time_in_turn(const runtime::GpuStream& stream, std::span<const GpuWork> contenders,
                                   const GpuTurnOptions& options = {});

/// The median over rounds of a's time over b's.
double ratio_of(const GpuTurns& a, const GpuTurns& b);

} // namespace swirl::search
