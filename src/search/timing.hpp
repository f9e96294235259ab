#pragma once

#include "runtime/timer.hpp"
#include "search/probe.hpp"

#include <swirl/problem.hpp>

#include <span>
#include <string>
#include <vector>

namespace swirl::search {

using runtime::Measurement;
using runtime::TimedWork;
using runtime::TimingOptions;

/// Times several pieces of work that compete: one sample of each in turn, beginning with another one in each round, so
/// that drifts of the clock frequency and whatever else the machine does meet all of them alike. The budget in
/// `options` is that of one of them.
std::vector<Measurement> measure_interleaved(std::span<const TimedWork> contenders,
                                             const TimingOptions& options = {});

/// Conventional operation count, the same for every algorithm: 5 N log₂ N for a complex DFT of N points, half of that
/// for real DFTs, DCTs and DSTs, N log₂ N for the WHT; times the batches.
double pseudo_flops(const Problem& problem);

/// Bytes of the elements read and written, each once.
double compulsory_bytes(const Problem& problem);

/// The least time a transform can take, by what it must compute and by what it must move.
struct Floors {
    double arithmetic = 0; ///< seconds: flops ÷ the probe's peak
    double traffic = 0;    ///< seconds: compulsory bytes ÷ the copy bandwidth of `level`
    std::string level;     ///< that holds input and output: "L1", …, "memory"

    double arithmetic_percent(double seconds) const { return 100 * arithmetic / seconds; }
    double traffic_percent(double seconds) const { return 100 * traffic / seconds; }
    double larger() const { return arithmetic > traffic ? arithmetic : traffic; }
};

/// For one core and `flops` real operations.
Floors floors(const Problem& problem, double flops, const MachineProbe& probe);

} // namespace swirl::search
