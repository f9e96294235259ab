#pragma once

#include "machine/code.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace swirl::machine {

/// What a kernel's loop is counted by.
enum class Kind : std::uint8_t {
    multiply_add,        ///< of float32
    double_multiply_add, ///< of float64
    tensor,              ///< a product by tensor cores
    arithmetic,          ///< of floating numbers
    integer,
    move,
    predicate,
    shared_load,
    shared_store,
    global_load,
    global_store,
    local_load, ///< of spilled registers
    local_store,
    copy, ///< from global to shared memory
    fence,
    barrier,
    convergence, ///< where a warp's threads go apart and come together
    shuffle,
    uniform, ///< of what all threads of a warp have in common
    special, ///< reads of constants and special registers
    branch,
    exit,
    nothing,
    other,
};
constexpr int kinds = static_cast<int>(Kind::other) + 1;
/// "multiply-adds"
std::string_view name_of(Kind kind);

/// Registers of an operand: so many next to each other, or as many as the instruction's size says.
enum class Width : std::uint8_t { none = 0, one = 1, two = 2, four = 4, sized = 255 };

/// What is known about the instructions of one opcode, whatever the form of their operands.
struct Opcode {
    int base = 0; ///< the opcode's low 9 bits; the 3 above them are the form
    std::string_view name;
    Kind kind = Kind::other;
    Width d = Width::none; ///< written, but for what `reads_d` says
    Width a = Width::none;
    Width b = Width::none;
    Width c = Width::none;
    bool has_forms = false; ///< b or c may be an immediate, a constant or a uniform register
    bool reads_d = false;
    std::uint32_t predicates = 0; ///< the fields of predicates that it has, below
    bool is_known = true;         ///< false: what it reads and writes is not in this table
    /// Its registers and predicates are those that a warp's threads have in common, its guard too.
    bool is_uniform = false;
};
/// Where predicates stand: bit 0: 81, written; 1: 84, written; 2: 87, read; 3: 77, read; 4: 68, read; 5: the same, of the warp's where
/// bit 67 is set.
namespace predicate_field {
constexpr std::uint32_t out_81 = 1, out_84 = 2, in_87 = 4, in_77 = 8, in_68 = 16, in_68_of_either = 32;
}

std::span<const Opcode> opcodes();
/// Nothing where the table has no such.
const Opcode* opcode_of(const Instruction& instruction);
/// Kind::other where the table has no such.
Kind kind_of(const Instruction& instruction);
/// "FFMA", or "opcode 0x123".
std::string name_of(const Instruction& instruction);

/// Reads a constant of the kernel, which nothing changes.
bool is_constant_load(const Instruction& instruction);

/// How far a branch goes, in instructions from the one behind it; nothing where it is no branch to a place in the code.
std::optional<std::int64_t> distance_of(const Instruction& instruction);
void set_distance(Instruction& branch, std::int64_t instructions);

/// The number beside a register in an address: of shared memory, or the second one of a copy.
std::int64_t offset_of(const Instruction& instruction);

} // namespace swirl::machine
