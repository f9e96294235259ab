#pragma once

#include "sass/opcodes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace swirl::sass {

/// A range of adjacent registers that an instruction reads or writes.
struct RegisterRange {
    int first = 0;
    int count = 0;
    int slot = 0; ///< 0, 1, 2 for operands a, b, c, the reuse cache's slots; 3 for d

    bool has(int reg) const { return reg >= first && reg < first + count; }
    bool overlaps(const RegisterRange& other) const {
        return first < other.first + other.count && other.first < first + count;
    }
};
constexpr int slot_d = 3;

/// Whether the two functions below know everything that an instruction reads and writes.
bool has_known_registers(const Instruction& instruction);
/// Excludes the zero register; empty for instructions that no thread executes.
std::vector<RegisterRange> registers_read(const Instruction& instruction);
std::vector<RegisterRange> registers_written(const Instruction& instruction);

/// One more than the highest register named by any instruction. A kernel's register count is larger: two registers
/// are not addressable, and naming them is illegal.
int named_registers(const std::vector<Instruction>& code);
/// Whether register pairs and quadruples are aligned to two and four.
bool has_aligned_registers(const Instruction& instruction);
/// The instruction without registers, control and branch distance: equal words have equal form.
Word form_of(const Instruction& instruction);

/// The source register if the instruction is an unconditional register copy and nothing else.
std::optional<int> copied_register(const Instruction& instruction);

/// Bit p for predicate p; the guard counts as read; the always-true predicate is excluded.
std::uint32_t predicates_read(const Instruction& instruction);
std::uint32_t predicates_written(const Instruction& instruction);

/// Uniform registers (bit u for register u; the zero register is excluded) and uniform predicates. Reads may be
/// overestimated.
struct UniformSet {
    std::uint64_t registers = 0;
    std::uint32_t predicates = 0;
    bool overlaps(const UniformSet& other) const {
        return (registers & other.registers) != 0 || (predicates & other.predicates) != 0;
    }
};
constexpr int uniform_zero_register = 63;
UniformSet uniform_read(const Instruction& instruction);
UniformSet uniform_written(const Instruction& instruction);

/// Replaces the register in a slot.
void set_register(Instruction& instruction, int slot, int reg);

} // namespace swirl::sass
