#pragma once

#include "machine/opcodes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace swirl::machine {

/// Neighbouring registers that an instruction reads or writes.
struct RegisterRange {
    int first = 0;
    int count = 0;
    int slot = 0; ///< 0, 1, 2 for operands a, b, c, which the reuse cache tells apart; 3 for d

    bool has(int number) const { return number >= first && number < first + count; }
    bool overlaps(const RegisterRange& other) const {
        return first < other.first + other.count && other.first < first + count;
    }
};
constexpr int slot_d = 3;

/// Whether all that an instruction reads and writes is known to the two functions below.
bool has_known_registers(const Instruction& instruction);
/// The register of zeros is none of these, nor are those of instructions that no thread executes.
std::vector<RegisterRange> registers_read(const Instruction& instruction);
std::vector<RegisterRange> registers_written(const Instruction& instruction);

/// One more than the highest register that any instruction names. A kernel's own count of registers is more: two of those are not
/// addressed, and an instruction that does is illegal.
int named_registers(const std::vector<Instruction>& code);
/// Pairs and fours of registers begin at multiples of two and four.
bool has_aligned_registers(const Instruction& instruction);
/// Without registers, control, and how far a branch goes: what has to be the same for two instructions to be of one form.
Word form_of(const Instruction& instruction);

/// The register that an instruction copies to another one, where it does nothing else, in all threads.
std::optional<int> copied_register(const Instruction& instruction);

/// Bit p for predicate p, its guard among those read; the one that always holds is none.
std::uint32_t predicates_read(const Instruction& instruction);
std::uint32_t predicates_written(const Instruction& instruction);

/// What a warp's threads have in common: bit u for uniform register u, the one of zeros is none, and bits of uniform predicates. Those
/// read may be more than are.
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
void set_register(Instruction& instruction, int slot, int number);

} // namespace swirl::machine
