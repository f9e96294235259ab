#pragma once

#include "machine/loop_webs.hpp"

namespace swirl::machine {

/// Of two instructions of a loop, neither of which is a product, that stay in their order.
struct Dependence {
    std::size_t before = 0; ///< places in the body, `before` < `after`
    std::size_t after = 0;
    bool has_latency = false; ///< the later one takes what the earlier one makes, or makes it anew
};

/// Among what stands between products, and with loads of factors and the branch: of values in registers, of predicates, and of what
/// touches memory or waits. Registers that LoopWebs gives anew are no reason.
std::vector<Dependence> dependences(const LoopPattern& pattern, const LoopWebs& webs);

} // namespace swirl::machine
