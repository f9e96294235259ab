#pragma once

#include "sass/loop_dependences.hpp"

#include <set>

namespace swirl::sass {

/// The instructions between FMAs and their slots.
struct LoopPlacement {
    struct Item {
        std::size_t body_index = 0; ///< in the compiled body
        std::size_t k = 0;          ///< k step of an operand load
        int load = -1;              ///< which of the k step's loads; −1: not an operand load
    };
    std::vector<std::vector<Item>> at; ///< before each FMA, and after the last one
    std::set<std::size_t> movable;     ///< body indices of instructions that may be delayed
    std::size_t slack = 0;             ///< by this many FMAs

    /// Position of each instruction in the new body, by its body index.
    std::map<std::size_t, std::size_t> positions() const;
};

/// Placements of the instructions between FMAs. Operand loads come a whole k step ahead, evenly spaced, in the order
/// of `loads_by_use`; their address computations as early in the loop as possible. The barrier is at the beginning of
/// the last k step. Everything else is spread evenly before it, separated by latencies, in program order or right
/// before its first use. One placement for each slack that fits; UserError if none does.
std::vector<LoopPlacement> placements(const LoopPattern& pattern, const std::vector<Dependence>& dependences,
                                      const std::vector<int>& loads_by_use);

} // namespace swirl::sass
