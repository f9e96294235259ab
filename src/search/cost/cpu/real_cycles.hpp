#pragma once

#include "search/cost/cpu/cycles.hpp"

/// Estimated cycles of real DFTs.
namespace swirl::search {

/// Cycles of one straight-line codelet of n reals, per iteration of the setting's loops.
double real_codelet_cycles(Integer n, const Setting& setting);

/// Cycles of a Stockham transform of n reals; the loops of its passes fill the lanes.
double rdft_stockham_cycles(const rules::Choice& radices, Integer n, Direction direction,
                            const Setting& setting);

/// Cycles of a real DFT of n points beyond those of the complex DFT of half the size.
double half_size_cycles(Integer n, const Setting& setting);

} // namespace swirl::search
