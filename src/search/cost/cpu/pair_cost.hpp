#pragma once

#include "search/cost/cpu/cost_model.hpp"

#include <vector>

namespace swirl::search {

/// Points of the longest DFT that is lowered to vectors of complex elements.
constexpr Integer longest_in_pairs = 128;

/// Re-estimates and sorts candidates for a DFT of n points if it is small enough to be lowered to vectors of complex
/// elements (loops/place_pair_tags.hpp): all in registers, in vectors of half as many lanes. `repeated`: the DFT runs in
/// a loop, whose iterations fill a codelet's lanes and overlap.
void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes, bool repeated,
                       bool in_place, const MachineModel& machine = fitted_machine_model(),
                       const CycleConstants& constants = constants_of_avx512);

/// The same of real transforms of n points by DFTs of half the size, whose breakdown becomes the best of the one that the
/// candidate has and of `halves`.
void estimate_half_size_in_pairs(std::vector<Candidate>& candidates, const std::vector<Candidate>& halves,
                                 Integer n, double lanes, bool repeated,
                                 const MachineModel& machine = fitted_machine_model(),
                                 const CycleConstants& constants = constants_of_avx512);

} // namespace swirl::search
