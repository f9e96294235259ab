#pragma once

#include "base/integer.hpp"
#include "ir/instruction.hpp"
#include "ir/type.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace swirl::target {

enum class InstructionSet : std::uint8_t {
    portable, ///< no assumptions: built-in kernels and emitted text only
    sse2,     ///< the x86-64 baseline, 16-byte vectors, 16 registers
    avx2_fma, ///< 32-byte vectors, 16 registers
    avx512,   ///< AVX-512 F+VL+DQ+BW, 64-byte vectors, 32 registers, masks
    neon,     ///< the AArch64 baseline, 16-byte vectors, 32 registers
};
constexpr std::size_t instruction_sets = static_cast<std::size_t>(InstructionSet::neon) + 1;

/// Cache line size of every CPU in the table.
constexpr Integer line_bytes = 64;

/// A CPU as seen by passes, the machine-code back end and the cost models. Each is a constant table entry.
struct Cpu {
    std::string_view name;
    InstructionSet set;
    int vector_bytes;
    int vector_registers;
    bool has_fma;
    bool has_masks;      ///< predicated loads and stores at full speed
    Integer cache_bytes; ///< of the last-level private cache of a core; 0: unknown
    /// Larger results are written past the caches. That saves the read of each line, but later reads come from memory, not
    /// from the cache that cores share: so it is for arrays beyond a core's share of that cache, and for what the plan reads
    /// again only beyond several cores' shares.
    Integer streaming_bytes;
    std::span<const ir::Instruction* const>
        instructions;          ///< shuffles and similar instructions, in order of preference
    bool has_fms = true;       ///< a·b − c is also one operation; c − a·b always is if a·b + c is
    bool permutes_two = false; ///< a shuffle of two vectors by any lane map is one instruction
    bool emitted_only = false; ///< kernels are emitted as C++: no machine-code encoder
};

const Cpu& portable_cpu();
const Cpu& sse2_cpu();
const Cpu& avx2_cpu();
const Cpu& avx512_cpu();
const Cpu& neon_cpu();
std::span<const Cpu* const>
cpus(); ///< all, in the order of InstructionSet; within an architecture slowest first

/// By name: "portable", "sse2", "avx2", "avx512", "neon". Throws UserError listing the names.
const Cpu& cpu_named(std::string_view name);

/// The best entry that the host can run (CPUID and the state saved by the operating system); SWIRL_CPU in the
/// environment may select a lesser one.
const Cpu& host_cpu();
bool host_can_run(const Cpu& cpu); ///< as plans; false for CPUs that are only emitted for

#if defined(__x86_64__)
/// Register state that the operating system saves at a context switch (XCR0; Intel SDM volume 1, section 13.3), on a
/// CPU that supports XSAVE.
std::uint64_t saved_state();
#endif

constexpr int lanes(const Cpu& cpu, DataType scalar) { return cpu.vector_bytes / bytes_of(scalar); }

} // namespace swirl::target
