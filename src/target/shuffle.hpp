#pragma once

#include "ir/instruction.hpp"
#include "target/cpu.hpp"

#include <array>
#include <cstdint>
#include <span>

/// Shuffles as machine instructions. A lane map is that of ir::Opcode::shuffle: result lane l is (a ‖ b)[map[l]],
/// −1 stands for "anything". All functions are thread-safe; the instructions they return are never destroyed.
namespace swirl::target {

/// The cheapest single instruction with exactly this lane map (of operands a, b in this order), or nullptr.
/// It has one operand (a) if the map takes nothing from b, else two.
const ir::Instruction* find_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// An instruction for any lane map of float32 or float64 vectors: one permutation with an index vector on AVX-512, an
/// entry that the encoder expands to at most three instructions elsewhere. One operand if the map takes nothing from b.
const ir::Instruction& general_permute(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// A lane map as a shuffle of two operands followed by a permutation of its result.
struct ShufflePair {
    const ir::Instruction* first = nullptr; ///< nullptr: the map is not of this kind
    bool swapped = false;                   ///< the first takes b, a
    const ir::Instruction* second = nullptr;
};

/// The two instructions of least latency together that have this lane map, each a single machine instruction.
ShufflePair find_shuffle_pair(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// An instruction and which of a shuffle's operands (0: a, 1: b) each of its operands is.
struct ShuffleChoice {
    const ir::Instruction* instruction = nullptr;
    std::array<int, 2> sources = {0, 1};
};

/// The cheapest instruction over all ways of passing a and b (in order, swapped, one of them twice); falls back on
/// general_permute. Pass `same_operand` when a and b are one value.
ShuffleChoice choose_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map,
                             bool same_operand = false);

} // namespace swirl::target
