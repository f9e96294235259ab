#pragma once

#include "search/cost/cpu/cost_model.hpp"

#include <vector>

namespace swirl::search {

/// Re-estimates and sorts candidates for a DFT of n points if it is small enough to be lowered to vectors of complex
/// elements (loops/place_pair_tags.hpp): all in registers, in vectors of half as many lanes. `repeated`: the DFT runs in
/// a loop, whose iterations fill a codelet's lanes and overlap.
void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes, bool repeated,
                       const MachineModel& machine = fitted_machine_model(),
                       const CycleConstants& constants = constants_of_avx512);

} // namespace swirl::search
