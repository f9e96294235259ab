#pragma once

#include "search/cost_model.hpp"
#include "search/cycles.hpp"

/// What the estimates of transforms of different kinds share; of complex DFTs, in cost_model.cpp.
namespace swirl::search {

/// Whether one straight-line codelet of a pass may compute the transform.
bool is_codelet_size(Integer n);

/// The cheapest first; equals stay in order of preference.
void sort_by_cycles(std::vector<Candidate>& all);

/// The candidates of a DFT whose entries lie `stride` bytes apart, in memory or much of the cache; best first.
std::vector<Candidate> strided_candidates(const formula::Formula& dft, Integer stride,
                                          const Setting& setting);

/// The cheapest breakdown of a DFT inside other transforms.
Candidate best_dft(const formula::Formula& dft, const Setting& setting);

} // namespace swirl::search
