#pragma once

#include "ir/instruction.hpp"
#include "target/cpu.hpp"

#include <array>
#include <cstdint>
#include <span>

/// Shuffles as target instructions. A lane map is that of ir::Opcode::shuffle: result lane l is (a ‖ b)[map[l]], and
/// −1 is a don't-care lane. All functions are thread-safe; the instructions they return are never destroyed.
namespace swirl::target {

/// The cheapest single instruction with exactly this lane map (of operands a, b in this order), or nullptr.
/// It has one operand (a) if the map takes nothing from b, else two.
const ir::Instruction* find_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// An instruction for any lane map of float32 or float64 vectors: on AVX-512 one permutation by an index vector,
/// elsewhere an entry that the encoder expands to at most three instructions. One operand if the map takes nothing from
/// b.
const ir::Instruction& general_permute(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// A lane map as a shuffle of two operands followed by a permutation of its result.
struct ShufflePair {
    const ir::Instruction* first = nullptr; ///< nullptr: the map has no such form
    bool swapped = false;                   ///< the first instruction takes b, a
    const ir::Instruction* second = nullptr;
};

/// The pair of instructions with the least total latency that has this lane map; each is a single target instruction.
ShufflePair find_shuffle_pair(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map);

/// An instruction, and the shuffle operand (0: a, 1: b) that each of its operands takes.
struct ShuffleChoice {
    const ir::Instruction* instruction = nullptr;
    std::array<int, 2> sources = {0, 1};
};

/// The cheapest instruction over all operand orders (a and b, swapped, one of them twice); falls back to
/// general_permute. Pass `same_operand` if a and b are the same value.
ShuffleChoice choose_shuffle(const Cpu& cpu, ir::Type type, std::span<const std::int8_t> lane_map,
                             bool same_operand = false);

} // namespace swirl::target
