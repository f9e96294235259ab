#pragma once

#include "search/cost_model.hpp"
#include "search/cycles.hpp"

/// What the estimates of transforms of different kinds share; of complex DFTs, in cost_model.cpp.
namespace swirl::search {

/// Whether one straight-line codelet of a pass may compute the transform.
bool is_codelet_size(Integer n);

/// The cheapest first; equals stay in order of preference.
void sort_by_cycles(std::vector<Candidate>& all);

/// The cheapest breakdown of a DFT inside other transforms.
Candidate best_dft(const formula::Formula& dft, const Setting& setting);

} // namespace swirl::search
