#pragma once

#include "sass/loop_pattern.hpp"

namespace swirl::sass {

/// Distance in cycles from a result of fixed latency to its use that always suffices. Comparisons take longest, about
/// 12 (what compilers leave in loops that wait for nothing else).
constexpr int max_fixed_latency = 13;
constexpr int fma_distance = 5; ///< for multiply-adds
constexpr int uniform_distance = 24;

/// Scoreboards of the loop's own loads and copies; instructions before and after the loop wait for all of them.
constexpr unsigned loop_scoreboards = 0b111110;

/// Reorders the loop: FMAs by register banks and reuse cache; operand loads a k step ahead, evenly spaced, into a
/// second register set; everything else in order between the FMAs. The number of instructions is unchanged; unused
/// ones become NOPs. UserError if there is no slack.
Code reordered_loop(const LoopPattern& pattern);

} // namespace swirl::sass
