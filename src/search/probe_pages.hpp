#pragma once

#include "base/integer.hpp"

#include <vector>

namespace swirl::search {

/// What it costs that lines lie on many pages: seconds of a load that waits for the one before, of one line on each page in
/// turn. What the table of translations does not hold has to be looked up, the longer the more pages there are.
struct PageCost {
    Integer pages = 0;
    double dense = 0; ///< the same number of lines next to each other
    double small = 0; ///< on pages of 4 KiB
    double large = 0; ///< at the same addresses in pages of 2 MiB, if the system gave any
    bool operator==(const PageCost&) const = default;
};

/// For ever more pages, up to so many, in about so many seconds.
std::vector<PageCost> measure_page_costs(double budget, Integer most_pages);

/// How many pages of 4 KiB are touched in turn before a load takes half as long again as without pages; all that were
/// measured, if none does.
Integer pages_at_hand(const std::vector<PageCost>& costs);

} // namespace swirl::search
