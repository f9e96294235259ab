#pragma once

#include <cstdint>

namespace swirl {

/// How much work goes into choosing an algorithm.
enum class Effort : std::uint8_t {
    estimate,   ///< from tables about the machine; nothing is timed
    measure,    ///< the likely algorithms are timed under a time budget, and the winner is remembered
    exhaustive, ///< the same with every algorithm that applies, which may take hours
};

} // namespace swirl
