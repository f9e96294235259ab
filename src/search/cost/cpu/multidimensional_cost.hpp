#pragma once

#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/cycles.hpp"

/// Breakdowns of DFTs over several dimensions in one pass.
namespace swirl::search {

/// Candidates for a Kronecker product of DFTs, best first.
std::vector<Candidate> multidimensional_candidates(const formula::Formula& transform, const Setting& setting);

} // namespace swirl::search
