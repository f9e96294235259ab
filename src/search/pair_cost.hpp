#pragma once

#include "search/cost_model.hpp"

#include <vector>

namespace swirl::search {

/// Estimates candidates for a DFT of n points anew, and sorts them, where the transform is so small that it is lowered to
/// vectors of complex numbers (lower/pair_lowering.hpp): all in registers, and vectors half as many lanes long. `repeated`:
/// in loops, where a codelet's lanes are their iterations, and the next one begins while the last one ends.
void estimate_in_pairs(std::vector<Candidate>& candidates, Integer n, double lanes, bool repeated);

} // namespace swirl::search
