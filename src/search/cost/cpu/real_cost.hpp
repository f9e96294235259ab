#pragma once

#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/cycles.hpp"

/// Breakdowns of real transforms.
namespace swirl::search {

/// Candidates for a real DFT, a cosine, sine or Walsh–Hadamard transform, best first.
std::vector<Candidate> real_candidates(const formula::Formula& transform, const Setting& setting);

} // namespace swirl::search
