#pragma once

#include "base/integer.hpp"

#include <cstddef>
#include <vector>

namespace swirl::planning {

/// Part of a kernel that one thread runs or several share.
struct PhaseDescription {
    bool is_parallel = false;
    Integer iterations = 1; ///< of a parallel phase
    Integer grain = 1;      ///< iteration ranges of threads are multiples of it
    Integer repeated = 0; ///< consecutive phases with the same number, not 0, run in turn for each repetition
    Integer repetitions = 1;
    bool operator==(const PhaseDescription&) const = default;
};

/// One execution of a phase.
struct PhaseRun {
    std::size_t phase;
    Integer repetition = 0;
};

/// Calls run(PhaseRun) for all phases of a kernel in order, those that are repeated in turn for each repetition.
template <class Run> void for_each_run(const std::vector<PhaseDescription>& phases, Run&& run) {
    for (std::size_t first = 0; first < phases.size();) {
        const PhaseDescription& here = phases[first];
        std::size_t end = first + 1;
        while (here.repeated != 0 && end < phases.size() && phases[end].repeated == here.repeated) ++end;
        for (Integer repetition = 0; repetition < here.repetitions; ++repetition)
            for (std::size_t k = first; k < end; ++k) run(PhaseRun{k, repetition});
        first = end;
    }
}

} // namespace swirl::planning
