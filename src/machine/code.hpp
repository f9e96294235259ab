#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Machine code of NVIDIA's GPUs of compute capability 7.0 to 9.0: instructions of 128 bits, of which 21 tell the hardware when to
/// issue the next one. NVIDIA documents none of it; Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking"
/// (2018), chapter 2, describes it, tests compare it with what nvdisasm says.
namespace swirl::machine {

struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Word&, const Word&) = default;

    /// Bits first … first + count − 1 of the 128; none of our fields lies in both halves but for the branches' distances.
    std::uint64_t bits(int first, int count) const;
    void set_bits(int first, int count, std::uint64_t value);
};

constexpr int no_scoreboard = 7;
constexpr int scoreboards = 6;
constexpr int zero_register = 255;
constexpr int true_predicate = 7;

/// What the compiler says about issuing: hardware checks nothing of it.
struct Control {
    int stall = 1;                        ///< cycles until the warp's next instruction
    bool stays = true;                    ///< false: the scheduler may rather issue another warp's
    int write_scoreboard = no_scoreboard; ///< counts until the results are there
    int read_scoreboard = no_scoreboard;  ///< counts until the operands have been read
    unsigned wait = 0;                    ///< bit s: issued when scoreboard s is at zero
    unsigned reuse = 0;                   ///< bit 0, 1, 2: operand a, b, c stays in the reuse cache
    friend bool operator==(const Control&, const Control&) = default;
};

/// An instruction's fields. What they mean follows from the opcode (machine/opcodes.hpp); `rest` has the bits beside them.
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

    /// Executed by all threads that come to it; never by any.
    bool is_unconditional() const { return guard == true_predicate && !is_guard_negated; }
    bool is_never() const { return guard == true_predicate && is_guard_negated; }
};

Instruction decode(const Word& word);
/// The word that was decoded, bit for bit.
Word encode(const Instruction& instruction);

constexpr std::size_t word_bytes = 16;
using Code = std::vector<Instruction>;

} // namespace swirl::machine
