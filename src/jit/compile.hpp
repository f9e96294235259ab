#pragma once

#include "ir/program.hpp"
#include "target/cpu.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// ir → x86-64 machine code.
namespace swirl::jit {

/// Statistics of the register allocator and encoder, for reports and tests.
struct CodeStatistics {
    int instructions = 0;
    int spills = 0;       ///< stores to the frame
    int reloads = 0;      ///< loads from the frame
    int folded_loads = 0; ///< memory operands of arithmetic
    std::size_t bytes = 0;

    CodeStatistics& operator+=(const CodeStatistics& other) {
        instructions += other.instructions;
        spills += other.spills;
        reloads += other.reloads;
        folded_loads += other.folded_loads;
        bytes += other.bytes;
        return *this;
    }
};

/// Position-independent machine code of one kernel: void(void* const* buffers, const int64_t* parameters),
/// System V calling convention (see ir::Program). Constants follow the code in the same bytes.
struct MachineCode {
    std::vector<std::uint8_t> bytes; ///< entry at offset 0, to be placed at a multiple of 64
    CodeStatistics statistics;
    std::string listing; ///< assembly text, if requested
};

struct CompileOptions {
    bool listing = false;

    /// By default, passes and this back end assume that different buffers are disjoint; an in-place kernel has one
    /// buffer. If true, no load of an argument is repeated or moved past a store to another argument.
    bool arguments_may_overlap = false;
};

/// Compiles a program that passed ir::verify at level `legalized`: vector types of at most the CPU's vector length,
/// shuffles as target instructions, addresses with at most one variable term.
/// Throws InternalError for what the level forbids, UserError when this build has no x86-64 encoder.
MachineCode compile(const ir::Program& program, const target::Cpu& cpu, const CompileOptions& options = {});

} // namespace swirl::jit
