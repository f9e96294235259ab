#include "sass/registers.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::sass {

namespace {

// Operand forms: which operand is not a register. Where it replaces c, b is in c's field.
constexpr int form_of_registers = 1;
bool replaces_c(int form) { return form == 2 || form == 3 || form == 7; }

/// Field of a memory access's size: 1, 2 and 4 registers are 4, 5 and 6; less than one is 0 … 3.
constexpr int size_first = 73, size_count = 3, size_of_two = 5, size_of_four = 6;

int count_of(Width width, const Instruction& instruction) {
    if (width != Width::sized) return static_cast<int>(width);
    const auto size = static_cast<int>(encode(instruction).bits(size_first, size_count));
    return size == size_of_four ? 4 : size == size_of_two ? 2 : 1;
}

void add(std::vector<RegisterRange>& ranges, int reg, Width width, int slot, const Instruction& instruction) {
    if (width == Width::none || reg == zero_register) return;
    ranges.push_back({reg, count_of(width, instruction), slot});
}

struct PredicateField {
    std::uint32_t bit;
    int first;
    bool is_written;
};
constexpr PredicateField predicate_fields[] = {{predicate_field::out_81, 81, true},
                                               {predicate_field::out_84, 84, true},
                                               {predicate_field::in_87, 87, false},
                                               {predicate_field::in_77, 77, false},
                                               {predicate_field::in_68, 68, false}};

/// Set if an operand is a uniform register; for branches also set for unknown kinds.
constexpr int has_uniform_operand = 91;
constexpr int other_branch_bits[] = {32, 33, 85, 86, has_uniform_operand};
constexpr int either_predicate = 67; ///< PLOP3: the predicate at 68 is uniform

bool is_uniform(const Opcode* opcode) { return opcode != nullptr && opcode->is_uniform; }

/// Ordinary predicates, or uniform ones.
std::uint32_t predicates(const Instruction& instruction, bool written, bool of_uniform) {
    std::uint32_t result = 0;
    const auto add = [&](int reg) {
        if (reg != true_predicate) result |= 1U << reg;
    };
    if (instruction.is_never()) return 0;
    const Opcode* const opcode = opcode_of(instruction);
    const bool is_of_kind = is_uniform(opcode) == of_uniform;
    if (!written && is_of_kind) add(instruction.guard);
    if (opcode == nullptr) return result;
    const Word word = encode(instruction);
    if (is_of_kind)
        for (const PredicateField& field : predicate_fields)
            if ((opcode->predicates & field.bit) != 0 && field.is_written == written)
                add(static_cast<int>(word.bits(field.first, 3)));
    if ((opcode->predicates & predicate_field::in_68_of_either) != 0 && !written &&
        (word.bits(either_predicate, 1) != 0) == of_uniform)
        add(static_cast<int>(word.bits(68, 3)));
    return result;
}

/// The field's register and, for pairs, the next one.
std::uint64_t uniform_registers(int reg, int count) {
    std::uint64_t result = 0;
    reg &= uniform_zero_register;
    for (int k = reg; k < reg + count && k < uniform_zero_register; ++k) result |= std::uint64_t{1} << k;
    return result;
}

bool has_known_form(const Instruction& instruction, const Opcode& opcode) {
    const Word word = encode(instruction);
    if (opcode.kind == Kind::branch) {
        for (const int bit : other_branch_bits)
            if (word.bits(bit, 1) != 0) return false;
        return true;
    }
    if (opcode.is_uniform || word.bits(has_uniform_operand, 1) == 0) return true;
    const int form = instruction.opcode >> 9;
    switch (opcode.kind) {
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::global_load:
    case Kind::global_store:
    case Kind::copy: return true;
    default: return opcode.has_forms && form != 3 && form != 5; // constants whose bank is in a register
    }
}

} // namespace

bool has_known_registers(const Instruction& instruction) {
    if (instruction.is_never()) return true;
    const Opcode* const opcode = opcode_of(instruction);
    return opcode != nullptr && opcode->is_known && has_known_form(instruction, *opcode);
}

std::vector<RegisterRange> registers_read(const Instruction& instruction) {
    std::vector<RegisterRange> result;
    const Opcode* const opcode = opcode_of(instruction);
    if (opcode == nullptr || opcode->is_uniform || instruction.is_never()) return result;
    if (opcode->reads_d) add(result, instruction.d, opcode->d, slot_d, instruction);
    add(result, instruction.a, opcode->a, 0, instruction);
    const int form = instruction.opcode >> 9;
    if (!opcode->has_forms) {
        add(result, instruction.b, opcode->b, 1, instruction);
        add(result, instruction.c, opcode->c, 2, instruction);
        return result;
    }
    if (form == form_of_registers) add(result, instruction.b, opcode->b, 1, instruction);
    if (opcode->c != Width::none)
        add(result, instruction.c, replaces_c(form) ? opcode->b : opcode->c, 2, instruction);
    return result;
}

std::vector<RegisterRange> registers_written(const Instruction& instruction) {
    std::vector<RegisterRange> result;
    const Opcode* const opcode = opcode_of(instruction);
    if (opcode == nullptr || opcode->is_uniform || instruction.is_never() || opcode->reads_d) return result;
    add(result, instruction.d, opcode->d, slot_d, instruction);
    return result;
}

int named_registers(const std::vector<Instruction>& code) {
    int result = 0;
    for (const Instruction& instruction : code)
        for (const auto& ranges : {registers_read(instruction), registers_written(instruction)})
            for (const RegisterRange& range : ranges) result = std::max(result, range.first + range.count);
    return result;
}

bool has_aligned_registers(const Instruction& instruction) {
    for (const auto& ranges : {registers_read(instruction), registers_written(instruction)})
        for (const RegisterRange& range : ranges)
            if (range.first % range.count != 0) return false;
    return true;
}

Word form_of(const Instruction& instruction) {
    Instruction result = instruction;
    result.control = {};
    for (const auto& ranges : {registers_read(instruction), registers_written(instruction)})
        for (const RegisterRange& range : ranges) set_register(result, range.slot, 0);
    if (distance_of(result)) set_distance(result, 0);
    return encode(result);
}

/// IMAD as 0 · 0 + c, and MOV of all bytes.
std::optional<int> copied_register(const Instruction& instruction) {
    constexpr Word moves{0x0000000000000202, 0x0000000000000f00},
        adds{0x000000ffff000224, 0x00000000078e0000};
    if (!instruction.is_unconditional()) return std::nullopt;
    Instruction bare = instruction;
    bare.guard = 0;
    bare.d = 0;
    bare.control = decode(moves).control;
    int& source = (instruction.opcode & 0xfff) == 0x202 ? bare.b : bare.c;
    const int reg = source;
    source = 0;
    const Word word = encode(bare);
    if (reg == zero_register || instruction.d == zero_register) return std::nullopt;
    return word == moves || word == adds ? std::optional(reg) : std::nullopt;
}

std::uint32_t predicates_read(const Instruction& instruction) {
    return predicates(instruction, false, false);
}
std::uint32_t predicates_written(const Instruction& instruction) {
    return predicates(instruction, true, false);
}

/// Instructions that are not uniform have one uniform operand in b's field, or a pair (a memory descriptor) there or
/// in c's.
UniformSet uniform_read(const Instruction& instruction) {
    UniformSet result{0, predicates(instruction, false, true)};
    const Opcode* const opcode = opcode_of(instruction);
    if (opcode == nullptr || instruction.is_never()) return result;
    if (!opcode->is_uniform) {
        if (encode(instruction).bits(has_uniform_operand, 1) == 0) return result;
        const bool has_descriptor = !opcode->has_forms && opcode->kind != Kind::shared_load;
        if (opcode->kind != Kind::copy)
            result.registers |= uniform_registers(instruction.b, has_descriptor ? 2 : 1);
        if (has_descriptor) result.registers |= uniform_registers(instruction.c, 2);
        return result;
    }
    const int form = instruction.opcode >> 9;
    const bool has_b = form == form_of_registers || form == 6 || form == 7 || replaces_c(form);
    if (opcode->a != Width::none) result.registers |= uniform_registers(instruction.a, 1);
    if (has_b) result.registers |= uniform_registers(instruction.b, 1);
    if (opcode->c != Width::none || replaces_c(form)) result.registers |= uniform_registers(instruction.c, 1);
    return result;
}

UniformSet uniform_written(const Instruction& instruction) {
    UniformSet result{0, predicates(instruction, true, true)};
    const Opcode* const opcode = opcode_of(instruction);
    if (is_uniform(opcode) && !instruction.is_never() && opcode->d != Width::none)
        result.registers = uniform_registers(instruction.d, 1);
    return result;
}

void set_register(Instruction& instruction, int slot, int reg) {
    switch (slot) {
    case 0: instruction.a = reg; return;
    case 1: instruction.b = reg; return;
    case 2: instruction.c = reg; return;
    case slot_d: instruction.d = reg; return;
    default: throw InternalError("an instruction has no operand {}", slot);
    }
}

} // namespace swirl::sass
