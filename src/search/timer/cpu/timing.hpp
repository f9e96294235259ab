#pragma once

#include "runtime/timer.hpp"
#include "search/cost/probe/probe.hpp"

#include <swirl/problem.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace swirl::search {

using runtime::Measurement;
using runtime::TimedWork;
using runtime::TimingOptions;

/// Times competing work items interleaved: one sample of each per round, with a different one first in each round, so
/// that drifts of the clock frequency and other load affect all alike. The budget in `options` is per work item.
/// `interrupt`, unless empty, is called before each sample and may throw. So is `enough`; after it has returned true the
/// measurement ends as soon as each work item has a sample.
std::vector<Measurement> measure_interleaved(std::span<const TimedWork> candidates,
                                             const TimingOptions& options = {},
                                             const std::function<void()>& interrupt = {},
                                             const std::function<bool()>& enough = {});

/// Conventional operation count, the same for every algorithm: 5 N log₂ N for a complex DFT of N points, half of that
/// for real DFTs, DCTs and DSTs, N log₂ N for the WHT; times the batches.
double pseudo_flops(const Transform& problem);

/// Bytes of the elements read and written, each counted once.
double compulsory_bytes(const Transform& problem);
/// A, B and C, each once.
double compulsory_bytes(const MatrixProduct& product);

/// Lower bounds on the time of a transform or a product, from its arithmetic and from its memory traffic.
struct Floors {
    double arithmetic = 0; ///< seconds: flops ÷ the probe's peak
    double traffic = 0;    ///< seconds: compulsory bytes ÷ the copy bandwidth of `level`
    std::string level;     ///< that holds input and output: "L1", …, "memory"

    double arithmetic_percent(double seconds) const { return 100 * arithmetic / seconds; }
    double traffic_percent(double seconds) const { return 100 * traffic / seconds; }
    double larger() const { return arithmetic > traffic ? arithmetic : traffic; }
};

/// For one core and `flops` real operations.
Floors floors(const Transform& problem, double flops, const HostProbe& probe);
/// Products of narrow types have no arithmetic floor: the probe does not measure their rates.
Floors floors(const MatrixProduct& product, double flops, const HostProbe& probe);

} // namespace swirl::search
