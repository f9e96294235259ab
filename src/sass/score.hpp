#pragma once

#include "sass/cubin.hpp"
#include "sass/loops.hpp"
#include "sass/opcodes.hpp"

#include <array>
#include <optional>
#include <string>

namespace swirl::sass {

/// Whether machine code of this compute capability is supported: 7.0 to 9.0.
bool is_read(int capability_major);

/// Static analysis of a compiled kernel's main loop. Counts are instructions per thread and iteration.
struct LoopScore {
    LoopSpan span;
    std::array<int, kinds> counts = {}; ///< by Kind
    long long instructions = 0;
    long long multiply_adds = 0; ///< float32 and float64

    long long issue_cycles = 0; ///< by IssueModel, for a scheduler whose other warps hide all waits
    long long bank_cycles = 0;  ///< of these, register-bank stalls
    long long single_warp_cycles =
        0; ///< of a lone warp, by the instructions' stall counts; excludes scoreboard waits
    long long register_reads = 0; ///< from banks
    long long reuse_hits = 0;
    /// Operands a and b that equal the previous multiply-add's in the same slot but were not flagged for reuse.
    long long missed_reuses = 0;
    long long yields = 0; ///< multiply-adds after which the scheduler may switch warps
    long long waits = 0;  ///< instructions that wait for scoreboards

    long long spills() const;    ///< loads and stores of spilled registers
    double fma_fraction() const; ///< of all instructions
    /// Fraction of the multiply-add peak, by issue_cycles.
    double peak_fraction() const;
};

struct KernelScore {
    std::string name;
    int registers = 0;
    std::size_t static_shared = 0;
    long long instructions = 0;
    long long spills = 0;          ///< loads and stores of spilled registers in the whole kernel
    long long unknown = 0;         ///< main-loop instructions whose opcode is not in the table
    std::optional<LoopScore> loop; ///< none if no loop contains FMAs
};

KernelScore score(const Cubin& cubin, const Cubin::Kernel& kernel);
LoopScore score_of_loop(const Code& code, const LoopSpan& span);

} // namespace swirl::sass
