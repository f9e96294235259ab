#pragma once

#include "machine/loop_pattern.hpp"

namespace swirl::machine {

/// Cycles from a result of fixed latency to its use that are always enough: those of comparisons are the longest, about 12 (what
/// compilers leave in loops that wait for nothing else).
constexpr int safe_distance = 13;
constexpr int product_distance = 5; ///< of multiply-adds
constexpr int uniform_distance = 24;

/// The scoreboards that the loop's own loads and copies have; those before and behind the loop wait for all of these.
constexpr unsigned loop_scoreboards = 0b111110;

/// Another order of the loop's instructions: products by banks and cached operands, loads a step ahead into a second set of registers,
/// evenly between products, and all else in its order between these. As many instructions as there were, the rest does nothing.
/// UserError where there is no room for it.
Code written_loop(const LoopPattern& pattern);

} // namespace swirl::machine
