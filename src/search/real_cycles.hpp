#pragma once

#include "search/cycles.hpp"

/// Cycles that real DFTs should take.
namespace swirl::search {

/// A Stockham transform of n reals; the passes' lanes come from its own loops.
double rdft_stockham_cycles(const rules::Choice& radices, Integer n, Direction direction,
                            const Setting& setting);

/// What a real DFT of n points takes beside the complex one of half the size.
double half_size_cycles(Integer n, const Setting& setting);

} // namespace swirl::search
