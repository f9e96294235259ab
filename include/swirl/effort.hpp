#pragma once

#include <cstdint>

namespace swirl {

/// How much work goes into choosing an algorithm.
enum class Effort : std::uint8_t {
    estimate,   ///< a performance model with tables of host properties; runs no benchmark
    measure,    ///< benchmarks likely candidates within a time budget and stores the fastest as wisdom
    exhaustive, ///< benchmarks every applicable algorithm, which may take hours
};

} // namespace swirl
