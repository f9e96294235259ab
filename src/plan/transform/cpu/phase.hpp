#pragma once

#include "base/integer.hpp"

namespace swirl::planning {

/// Part of a kernel that one thread runs or several share.
struct PhaseDescription {
    bool is_parallel = false;
    Integer iterations = 1; ///< of a parallel phase
    Integer grain = 1;      ///< iteration ranges of threads are multiples of it
    bool operator==(const PhaseDescription&) const = default;
};

} // namespace swirl::planning
