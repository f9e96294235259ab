#include "sass/code.hpp"

#include <array>

namespace swirl::sass {

namespace {

/// A field's bits among the 128.
struct Field {
    int first;
    int count;
};
constexpr Field opcode{0, 12}, guard{12, 3}, guard_negated{15, 1};
constexpr Field register_d{16, 8}, register_a{24, 8}, register_b{32, 8}, register_c{64, 8};
constexpr Field stall{105, 4}, no_yield{109, 1}, write_scoreboard{110, 3}, read_scoreboard{113, 3},
    wait{116, 6}, reuse{122, 4};
constexpr std::array fields = {opcode,          guard,      guard_negated, register_d, register_a,
                               register_b,      register_c, stall,         no_yield,   write_scoreboard,
                               read_scoreboard, wait,       reuse};

int get(const Word& word, Field field) { return static_cast<int>(word.bits(field.first, field.count)); }
void set(Word& word, Field field, std::uint64_t value) { word.set_bits(field.first, field.count, value); }

} // namespace

std::uint64_t Word::bits(int first, int count) const {
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    return (first < 64 ? low >> first : high >> (first - 64)) & mask;
}

void Word::set_bits(int first, int count, std::uint64_t value) {
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    std::uint64_t& half = first < 64 ? low : high;
    const int shift = first % 64;
    half = (half & ~(mask << shift)) | (value & mask) << shift;
}

Instruction decode(const Word& word) {
    Instruction result;
    result.opcode = get(word, opcode);
    result.guard = get(word, guard);
    result.is_guard_negated = get(word, guard_negated) != 0;
    result.d = get(word, register_d);
    result.a = get(word, register_a);
    result.b = get(word, register_b);
    result.c = get(word, register_c);
    result.control = {.stall = get(word, stall),
                      .no_yield = get(word, no_yield) != 0,
                      .write_scoreboard = get(word, write_scoreboard),
                      .read_scoreboard = get(word, read_scoreboard),
                      .wait = static_cast<unsigned>(get(word, wait)),
                      .reuse = static_cast<unsigned>(get(word, reuse))};
    result.rest = word;
    for (const Field& field : fields) set(result.rest, field, 0);
    return result;
}

Word encode(const Instruction& instruction) {
    Word word = instruction.rest;
    const auto put = [&](Field field, auto value) { set(word, field, static_cast<std::uint64_t>(value)); };
    put(opcode, instruction.opcode);
    put(guard, instruction.guard);
    put(guard_negated, instruction.is_guard_negated);
    put(register_d, instruction.d);
    put(register_a, instruction.a);
    put(register_b, instruction.b);
    put(register_c, instruction.c);
    const Control& control = instruction.control;
    put(stall, control.stall);
    put(no_yield, control.no_yield);
    put(write_scoreboard, control.write_scoreboard);
    put(read_scoreboard, control.read_scoreboard);
    put(wait, control.wait);
    put(reuse, control.reuse);
    return word;
}

} // namespace swirl::sass
