#pragma once

#include "search/cost/cost_model.hpp"
#include "search/cost/cycles.hpp"

/// Breakdowns of DFTs over several dimensions in one pass.
namespace swirl::search {

/// Candidates for a Kronecker product of DFTs, best first.
std::vector<Candidate> multidimensional_candidates(const formula::Formula& transform, const Setting& setting);

} // namespace swirl::search
