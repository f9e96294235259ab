#include "sass/opcodes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>

namespace swirl::sass {

namespace {

constexpr Width none = Width::none, one = Width::one, two = Width::two, sized = Width::sized;
using namespace predicate_field;

/// Operands a, b and c, or a and b, one of which may be something other than a register.
constexpr Opcode three(int base, std::string_view name, Kind kind, std::uint32_t predicates = 0) {
    return {base, name, kind, one, one, one, one, true, false, predicates};
}
constexpr Opcode pair(int base, std::string_view name, Kind kind, std::uint32_t predicates = 0) {
    return {base, name, kind, one, one, one, none, true, false, predicates};
}
/// Operands in register pairs.
constexpr Opcode wide(int base, std::string_view name, Kind kind, Width c) {
    return {base, name, kind, two, two, two, c, true};
}
constexpr Opcode plain(int base, std::string_view name, Kind kind, Width d = none, Width a = none,
                       Width b = none, std::uint32_t predicates = 0) {
    return {base, name, kind, d, a, b, none, false, false, predicates};
}
/// The same on uniform registers.
constexpr Opcode uniform(int base, std::string_view name, Width a, Width c, std::uint32_t predicates = 0) {
    return {base, name, Kind::uniform, one, a, one, c, true, false, predicates, true, true};
}
constexpr Opcode unknown(int base, std::string_view name, Kind kind) {
    return {base, name, kind, none, none, none, none, false, false, 0, false};
}

/// Sorted by base.
constexpr std::array table = {
    Opcode{0x002, "MOV", Kind::move, one, none, one, none, true},
    unknown(0x004, "P2R", Kind::move),
    plain(0x005, "CS2R", Kind::special, two),
    pair(0x007, "SEL", Kind::integer, in_87),
    pair(0x008, "FSEL", Kind::arithmetic, in_87),
    pair(0x009, "FMNMX", Kind::arithmetic, in_87),
    Opcode{0x00b, "FSETP", Kind::predicate, none, one, one, none, true, false, out_81 | out_84 | in_87},
    Opcode{0x00c, "ISETP", Kind::predicate, none, one, one, none, true, false,
           out_81 | out_84 | in_87 | in_68},
    three(0x010, "IADD3", Kind::integer, out_81 | out_84 | in_87 | in_77),
    three(0x011, "LEA", Kind::integer, out_81 | in_87),
    three(0x012, "LOP3", Kind::integer, out_81 | in_87),
    three(0x016, "PRMT", Kind::integer),
    three(0x019, "SHF", Kind::integer),
    Opcode{0x01c, "PLOP3", Kind::predicate, none, none, none, none, false, false,
           out_81 | out_84 | in_87 | in_77 | in_68_of_either},
    pair(0x020, "FMUL", Kind::arithmetic),
    pair(0x021, "FADD", Kind::arithmetic),
    three(0x023, "FFMA", Kind::multiply_add),
    three(0x024, "IMAD", Kind::integer, out_81 | in_87),
    Opcode{0x025, "IMAD.WIDE", Kind::integer, two, one, one, two, true, false, out_81 | in_87},
    unknown(0x027, "IMAD.HI", Kind::integer),
    wide(0x028, "DMUL", Kind::arithmetic, none),
    wide(0x029, "DADD", Kind::arithmetic, none),
    unknown(0x02a, "DSETP", Kind::predicate),
    wide(0x02b, "DFMA", Kind::double_multiply_add, two),
    pair(0x030, "HADD2", Kind::arithmetic),
    three(0x031, "HFMA2", Kind::arithmetic),
    pair(0x032, "HMUL2", Kind::arithmetic),
    three(0x035, "HFMA2.MMA", Kind::arithmetic),
    pair(0x036, "VIADD", Kind::integer),
    unknown(0x037, "IMMA", Kind::tensor),
    unknown(0x03c, "HMMA", Kind::tensor),
    unknown(0x03e, "F2FP", Kind::arithmetic),
    unknown(0x03f, "DMMA", Kind::tensor),
    unknown(0x045, "UMOV", Kind::uniform),
    uniform(0x082, "UMOV", none, none),
    uniform(0x087, "USEL", one, none, in_87),
    Opcode{0x08c, "UISETP", Kind::uniform, none, one, one, none, true, false, out_81 | out_84 | in_87 | in_68,
           true, true},
    uniform(0x090, "UIADD3", one, one, out_81 | out_84 | in_87 | in_77),
    uniform(0x091, "ULEA", one, one, out_81 | in_87),
    uniform(0x092, "ULOP3", one, one, out_81 | in_87),
    uniform(0x099, "USHF", one, one),
    unknown(0x0a4, "UIMAD", Kind::uniform),
    unknown(0x0b9, "ULDC", Kind::uniform),
    plain(0x118, "NOP", Kind::nothing),
    plain(0x119, "S2R", Kind::special, one),
    plain(0x11a, "DEPBAR", Kind::fence),
    plain(0x11d, "BAR", Kind::barrier),
    unknown(0x13b, "LDSM", Kind::shared_load),
    plain(0x141, "BSYNC", Kind::convergence, none, none, none, in_87),
    plain(0x145, "BSSY", Kind::convergence, none, none, none, in_87),
    plain(0x147, "BRA", Kind::branch, none, none, none, in_87),
    plain(0x14d, "EXIT", Kind::exit, none, none, none, in_87),
    plain(0x181, "LDG", Kind::global_load, sized, two),
    plain(0x182, "LDC", Kind::special, sized, one),
    plain(0x183, "LDL", Kind::local_load, sized, one),
    plain(0x184, "LDS", Kind::shared_load, sized, one),
    plain(0x186, "STG", Kind::global_store, none, two, sized),
    plain(0x187, "STL", Kind::local_store, none, one, sized),
    plain(0x188, "STS", Kind::shared_store, none, one, sized),
    unknown(0x189, "SHFL", Kind::shuffle),
    unknown(0x192, "MEMBAR", Kind::fence),
    Opcode{0x1ae, "LDGSTS", Kind::copy, one, two, none, none, false, true, in_87},
    plain(0x1af, "LDGDEPBAR", Kind::fence),
    unknown(0x1c3, "S2UR", Kind::uniform),
    unknown(0x1f0, "HGMMA", Kind::tensor),
};
static_assert(std::ranges::is_sorted(table, {}, &Opcode::base));

constexpr std::array<std::string_view, kinds> names = {
    "multiply-adds",
    "multiply-adds of float64",
    "products by tensor cores",
    "arithmetic",
    "integer operations",
    "moves",
    "comparisons",
    "loads from shared memory",
    "stores to shared memory",
    "loads from memory",
    "stores to memory",
    "loads of spilled registers",
    "stores of spilled registers",
    "asynchronous copies",
    "commits of copies and waits",
    "barriers",
    "partings of a warp's threads",
    "shuffles",
    "operations of a whole warp",
    "constants and special registers",
    "branches",
    "exits",
    "nothing",
    "others",
};

constexpr int base_bits = 0x1ff;
constexpr int branch_base = 0x147, constant_load_base = 0x182;
/// A branch distance: bytes over 4 in bits 16 … 23 and, above them, 34 … 81.
constexpr int distance_low = 16, distance_low_count = 8, distance_high = 34, distance_high_in_low = 30,
              distance_high_in_high = 18;
constexpr std::int64_t distance_units = word_bytes / 4;

} // namespace

std::string_view name_of(Kind kind) { return names.at(static_cast<std::size_t>(kind)); }
std::span<const Opcode> opcodes() { return table; }

const Opcode* opcode_of(const Instruction& instruction) {
    const auto* const found =
        std::ranges::lower_bound(table, instruction.opcode & base_bits, {}, &Opcode::base);
    return found != table.end() && found->base == (instruction.opcode & base_bits) ? found : nullptr;
}

bool is_constant_load(const Instruction& instruction) {
    return (instruction.opcode & base_bits) == constant_load_base;
}

/// An instruction that no thread executes costs only its issue slot.
Kind kind_of(const Instruction& instruction) {
    if (instruction.is_never()) return Kind::nothing;
    const Opcode* const opcode = opcode_of(instruction);
    return opcode == nullptr ? Kind::other : opcode->kind;
}

std::string name_of(const Instruction& instruction) {
    const Opcode* const opcode = opcode_of(instruction);
    return opcode == nullptr ? fmt::format("opcode {:#05x}", instruction.opcode) : std::string(opcode->name);
}

std::optional<std::int64_t> distance_of(const Instruction& instruction) {
    if ((instruction.opcode & base_bits) != branch_base) return std::nullopt;
    const Word word = encode(instruction);
    std::uint64_t units = word.bits(distance_low, distance_low_count);
    units |= word.bits(distance_high, distance_high_in_low) << distance_low_count;
    units |= word.bits(64, distance_high_in_high) << (distance_low_count + distance_high_in_low);
    constexpr int count = distance_low_count + distance_high_in_low + distance_high_in_high;
    const auto value = static_cast<std::int64_t>(units << (64 - count)) >> (64 - count);
    if (value % distance_units != 0) return std::nullopt;
    return value / distance_units;
}

void set_distance(Instruction& branch, std::int64_t instructions) {
    ensure(distance_of(branch).has_value(), "{} is no branch", name_of(branch));
    Word word = encode(branch);
    const auto units = static_cast<std::uint64_t>(instructions * distance_units);
    word.set_bits(distance_low, distance_low_count, units);
    word.set_bits(distance_high, distance_high_in_low, units >> distance_low_count);
    word.set_bits(64, distance_high_in_high, units >> (distance_low_count + distance_high_in_low));
    branch = decode(word);
}

std::int64_t offset_of(const Instruction& instruction) {
    constexpr int first = 40, count = 24;
    const std::uint64_t value = encode(instruction).bits(first, count);
    return static_cast<std::int64_t>(value << (64 - count)) >> (64 - count);
}

} // namespace swirl::sass
