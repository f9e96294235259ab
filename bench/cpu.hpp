#pragma once

#include "bench/measurement.hpp"
#include "search/cost/probe/probe.hpp"

namespace swirl::bench {

std::unique_ptr<Measurement> measurement_on_cpu(const Transform& problem, const Options& options,
                                                const search::HostProbe& probe);
std::unique_ptr<Measurement> measurement_on_cpu(const MatrixProduct& product, const Options& options,
                                                const search::HostProbe& probe);

/// Of ranked schedules the best, half of `count`; the others are spread over the rest, as a fit must see what the model
/// underrates.
std::vector<std::string> best_and_others(std::span<const std::string> ranked, std::size_t count);

/// How executions spoil their arrays.
struct Restoring {
    std::function<void()> restore; ///< brings the arrays back
    Integer every = 0;             ///< executions after which this is due; 0: never
};

/// Interleaved timing of works, by the options' rounds.
std::vector<Times> time_on_cpu(std::span<const Work> works, const Restoring& restoring,
                               const Options& options);

} // namespace swirl::bench
