#include "machine/registers.hpp"

#include "base/error.hpp"

namespace swirl::machine {

namespace {

// Forms of operands: which one is not a register. Where that takes the place of c, b stands in c's field.
constexpr int form_of_registers = 1;
bool replaces_c(int form) { return form == 2 || form == 3 || form == 7; }

/// How wide what a memory instruction moves is: 1, 2 and 4 registers are 4, 5 and 6, less than one is 0 … 3.
constexpr int size_first = 73, size_count = 3, size_of_two = 5, size_of_four = 6;

int count_of(Width width, const Instruction& instruction) {
    if (width != Width::sized) return static_cast<int>(width);
    const auto size = static_cast<int>(encode(instruction).bits(size_first, size_count));
    return size == size_of_four ? 4 : size == size_of_two ? 2 : 1;
}

void add(std::vector<RegisterRange>& ranges, int number, Width width, int slot,
         const Instruction& instruction) {
    if (width == Width::none || number == zero_register) return;
    ranges.push_back({number, count_of(width, instruction), slot});
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

std::uint32_t predicates(const Instruction& instruction, bool written) {
    std::uint32_t result = 0;
    const auto add = [&](int number) {
        if (number != true_predicate) result |= 1U << number;
    };
    if (instruction.is_never()) return 0;
    if (!written) add(instruction.guard);
    const Opcode* const opcode = opcode_of(instruction);
    if (opcode == nullptr) return result;
    const Word word = encode(instruction);
    for (const PredicateField& field : predicate_fields)
        if ((opcode->predicates & field.bit) != 0 && field.is_written == written)
            add(static_cast<int>(word.bits(field.first, 3)));
    return result;
}

} // namespace

bool has_known_registers(const Instruction& instruction) {
    if (instruction.is_never()) return true;
    const Opcode* const opcode = opcode_of(instruction);
    return opcode != nullptr && opcode->is_known;
}

std::vector<RegisterRange> registers_read(const Instruction& instruction) {
    std::vector<RegisterRange> result;
    const Opcode* const opcode = opcode_of(instruction);
    if (opcode == nullptr || instruction.is_never()) return result;
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
    if (opcode == nullptr || instruction.is_never() || opcode->reads_d) return result;
    add(result, instruction.d, opcode->d, slot_d, instruction);
    return result;
}

std::uint32_t predicates_read(const Instruction& instruction) { return predicates(instruction, false); }
std::uint32_t predicates_written(const Instruction& instruction) { return predicates(instruction, true); }

void set_register(Instruction& instruction, int slot, int number) {
    switch (slot) {
    case 0: instruction.a = number; return;
    case 1: instruction.b = number; return;
    case 2: instruction.c = number; return;
    case slot_d: instruction.d = number; return;
    default: throw InternalError("an instruction has no operand {}", slot);
    }
}

} // namespace swirl::machine
