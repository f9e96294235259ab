#pragma once

#include "sass/code.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace swirl::sass {

/// Instruction classes that loop statistics count.
enum class Kind : std::uint8_t {
    multiply_add,        ///< float32
    double_multiply_add, ///< float64
    tensor,              ///< tensor-core multiplication
    arithmetic,          ///< other floating-point arithmetic
    integer,
    move,
    predicate,
    shared_load,
    shared_store,
    global_load,
    global_store,
    local_load, ///< register spills
    local_store,
    copy, ///< from global to shared memory
    fence,
    barrier,
    convergence, ///< divergence and reconvergence of a warp
    shuffle,
    uniform, ///< on uniform registers, common to all threads of a warp
    special, ///< reads of constants and special registers
    branch,
    exit,
    nothing,
    other,
};
constexpr int kinds = static_cast<int>(Kind::other) + 1;
/// Plural name for output: "multiply-adds"
std::string_view name_of(Kind kind);

/// Registers of an operand: a fixed number of adjacent ones, or as many as the instruction's size field says.
enum class Width : std::uint8_t { none = 0, one = 1, two = 2, four = 4, sized = 255 };

/// Properties of an opcode, common to all its operand forms.
struct Opcode {
    int base = 0; ///< the opcode's low 9 bits; the upper 3 are the form
    std::string_view name;
    Kind kind = Kind::other;
    Width d = Width::none; ///< written; also read if `reads_d`
    Width a = Width::none;
    Width b = Width::none;
    Width c = Width::none;
    bool has_forms = false; ///< b or c may be an immediate, a constant or a uniform register
    bool reads_d = false;
    std::uint32_t predicates = 0; ///< its predicate fields, see below
    bool is_known = true;         ///< false: this table does not cover what it reads and writes
    /// Its registers, predicates and guard are uniform (per warp).
    bool is_uniform = false;
};
/// Predicate fields. Bit 0: at 81, written; 1: at 84, written; 2: at 87, read; 3: at 77, read; 4: at 68, read; 5: at
/// 68, read, uniform if bit 67 is set.
namespace predicate_field {
constexpr std::uint32_t out_81 = 1, out_84 = 2, in_87 = 4, in_77 = 8, in_68 = 16, in_68_of_either = 32;
}

std::span<const Opcode> opcodes();
/// Null if the table has no such opcode.
const Opcode* opcode_of(const Instruction& instruction);
/// Kind::other if the table has no such opcode.
Kind kind_of(const Instruction& instruction);
/// Mnemonic "FFMA", or "opcode 0x123".
std::string name_of(const Instruction& instruction);

/// Whether it reads a kernel constant, which is immutable.
bool is_constant_load(const Instruction& instruction);

/// A branch's distance in instructions from its successor; nothing unless it branches to an address in the code.
std::optional<std::int64_t> distance_of(const Instruction& instruction);
void set_distance(Instruction& branch, std::int64_t instructions);

/// The immediate offset of an address: in shared memory, or the second one of a copy.
std::int64_t offset_of(const Instruction& instruction);

} // namespace swirl::sass
