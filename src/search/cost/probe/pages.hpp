#pragma once

#include "base/integer.hpp"

#include <functional>
#include <vector>

namespace swirl::search {

/// TLB cost of cache lines that lie on many pages: seconds per dependent load, touching one cache line of each page in
/// turn. A TLB miss takes a page walk, which is the slower the more pages there are.
struct PageCost {
    Integer pages = 0;
    double dense = 0; ///< the same number of adjacent cache lines
    double small = 0; ///< on pages of 4 KiB
    double large = 0; ///< the same addresses in pages of 2 MiB, if the system provides them
    bool operator==(const PageCost&) const = default;
};

/// Measures rising page counts, up to `max_pages`, in about `budget` seconds. `done` is called now and then with the part of
/// the work that was done since.
std::vector<PageCost> measure_page_costs(double budget, Integer max_pages,
                                         const std::function<void(double)>& done);

/// How many 4 KiB pages can be touched in turn before a load takes 1.5 times as long as for adjacent cache lines; the
/// largest measured count if none does.
Integer pages_at_hand(const std::vector<PageCost>& costs);

} // namespace swirl::search
