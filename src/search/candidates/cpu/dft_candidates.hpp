#pragma once

#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/cycles.hpp"

/// Shared by the cost estimates of all kinds of transforms; complex DFTs: cost_model.cpp.
namespace swirl::search {

/// Whether one straight-line codelet of a pass may compute the transform.
bool is_codelet_size(Integer n);

/// Sorts by cycles, cheapest first. The sort is stable: ties keep their order of preference.
void sort_by_cycles(std::vector<Candidate>& all);

/// Candidates for a DFT whose entries lie `stride` bytes apart, in memory or spread over much of the cache; best first.
std::vector<Candidate> strided_candidates(const formula::Formula& dft, Integer stride,
                                          const Setting& setting);

/// The cheapest breakdown of a DFT nested in other transforms.
Candidate best_dft(const formula::Formula& dft, const Setting& setting);

} // namespace swirl::search
