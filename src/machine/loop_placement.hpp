#pragma once

#include "machine/loop_dependences.hpp"

#include <set>

namespace swirl::machine {

/// What stands between products, and where.
struct LoopPlacement {
    struct Item {
        std::size_t place = 0; ///< in the compiled body
        std::size_t step = 0;  ///< of a load of factors
        int load = -1;         ///< which of the step's; −1: no load of factors
    };
    std::vector<std::vector<Item>> at; ///< before each product, and behind the last one
    std::set<std::size_t> movable;     ///< places of what may be put off
    std::size_t room = 0;              ///< by so many products

    /// Where each instruction stands among all, by its place.
    std::map<std::size_t, std::size_t> positions() const;
};

/// Loads of factors a whole step ahead and evenly, in the order of `loads_by_use`, and as far as possible what their addresses follow
/// from as soon as the loop begins; threads meet at the beginning of the last step; all else evenly before that, as far apart as
/// latencies are, in its order or each right before what takes it. Those of several that there is room for; UserError where there is
/// none.
std::vector<LoopPlacement> placements(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
                                      const std::vector<int>& loads_by_use);

} // namespace swirl::machine
