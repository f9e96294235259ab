#pragma once

#include "machine/cubin.hpp"
#include "machine/loops.hpp"
#include "machine/opcodes.hpp"

#include <array>
#include <optional>
#include <string>

namespace swirl::machine {

/// Whether machine code of a compute capability is read: of 7.0 to 9.0.
bool is_read(int capability_major);

/// What can be told of a compiled kernel's main loop without running it. Counts are of one thread's instructions in one iteration.
struct LoopScore {
    LoopSpan span;
    std::array<int, kinds> counts = {}; ///< by Kind
    long long instructions = 0;
    long long multiply_adds = 0; ///< of float32 and float64

    long long issue_cycles = 0; ///< as IssueModel has it: of a scheduler whose other warps fill all waits
    long long bank_cycles = 0;  ///< of these, waits for banks of registers
    long long lone_cycles =
        0; ///< of a warp alone, by what its instructions say; waits for scoreboards are not in it
    long long register_reads = 0; ///< from banks
    long long reuse_hits = 0;
    /// Operands a and b of multiply-adds that the one before had in the same place and did not keep.
    long long missed_reuses = 0;
    long long yields = 0; ///< multiply-adds after which the scheduler may rather take another warp
    long long waits = 0;  ///< instructions that wait for scoreboards

    long long spills() const;          ///< loads and stores of spilled registers
    double multiply_add_share() const; ///< of the instructions
    /// Of the peak rate of multiply-adds, by issue_cycles.
    double peak_share() const;
};

struct KernelScore {
    std::string name;
    int registers = 0;
    std::size_t static_shared = 0;
    long long instructions = 0;
    long long spills = 0;          ///< loads and stores of spilled registers, in all of the kernel
    long long unknown = 0;         ///< instructions in the main loop whose opcode is not in the table
    std::optional<LoopScore> loop; ///< none where no loop has multiply-adds
};

KernelScore score(const Cubin& cubin, const Cubin::Kernel& kernel);
LoopScore score_of_loop(const Code& code, const LoopSpan& span);

} // namespace swirl::machine
