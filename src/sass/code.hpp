#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Machine code (SASS) of NVIDIA GPUs of compute capability 7.0 to 9.0: instructions of 128 bits, 21 of which control
/// the issue of the next one. NVIDIA does not document it; Jia et al., "Dissecting the NVIDIA Volta GPU architecture
/// via microbenchmarking" (2018), chapter 2, describes it. Tests compare the decoder with nvdisasm.
namespace swirl::sass {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Word&, const Word&) = default;

    /// Bits first … first + count − 1 of the 128. No field of ours spans both halves except branch distances.
    std::uint64_t bits(int first, int count) const;
    void set_bits(int first, int count, std::uint64_t value);
};

constexpr int no_scoreboard = 7;
constexpr int scoreboards = 6;
constexpr int zero_register = 255;
constexpr int true_predicate = 7;

/// Issue control set by the compiler; hardware does not check it.
struct Control {
    int stall = 1;                        ///< cycles until the warp's next instruction
    bool no_yield = true;                 ///< false: the scheduler may prefer another warp
    int write_scoreboard = no_scoreboard; ///< released when the results have been written
    int read_scoreboard = no_scoreboard;  ///< released when the operands have been read
    unsigned wait = 0;                    ///< bit s: issue only when scoreboard s is zero
    unsigned reuse = 0;                   ///< bits 0, 1, 2: keep operand a, b, c in the reuse cache
    friend bool operator==(const Control&, const Control&) = default;
};

/// An instruction's fields. The opcode defines their meaning (sass/opcodes.hpp); `rest` has all other bits.
struct Instruction {
    int opcode = 0; ///< 12 bits
    int guard = true_predicate;
    bool is_guard_negated = false;
    int d = 0;
    int a = 0;
    int b = 0;
    int c = 0;
    Control control = {};
    Word rest = {};
    friend bool operator==(const Instruction&, const Instruction&) = default;

    /// Whether every thread that reaches it executes it; whether no thread does.
    bool is_unconditional() const { return guard == true_predicate && !is_guard_negated; }
    bool is_never() const { return guard == true_predicate && is_guard_negated; }
};

Instruction decode(const Word& word);
/// Inverse of decode, bit for bit.
Word encode(const Instruction& instruction);

constexpr std::size_t word_bytes = 16;
using Code = std::vector<Instruction>;

} // namespace swirl::sass
