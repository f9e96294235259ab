#pragma once

#include "ir/instruction.hpp"
#include "target/shuffle_family.hpp"

#include <cstdint>
#include <span>

namespace swirl::target {

/// The family's instruction with this immediate: always the same object, never destroyed. Thread-safe.
const ir::Instruction& instruction_of(const ShuffleFamily& family, int immediate);

/// The permutation by an index vector (AVX-512) or instruction sequence (elsewhere) with this lane map.
const ir::Instruction& permutation_of(InstructionSet set, ir::Type type,
                                      std::span<const std::int8_t> lane_map);

/// All instructions without an immediate and those with a notable one, in order of preference.
std::span<const ir::Instruction* const> listed_instructions(InstructionSet set);

} // namespace swirl::target
