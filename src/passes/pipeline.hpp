#pragma once

#include "ir/program.hpp"
#include "ir/verify.hpp"
#include "target/cpu.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

/// The sequence of passes, as data.
namespace swirl::passes {

/// What passes know about the target.
struct Context {
    const target::Cpu* cpu;
    int lanes; ///< of a vector register of the program's floating-point type
};

struct Pass {
    std::string_view name;
    bool (*function)(ir::Program&, const Context&); ///< false if it has changed nothing
    ir::VerificationLevel level; ///< level of the result, given a program of this or the previous level
    bool is_idempotent = false;  ///< left out until another pass has changed what it left
};

/// Turns loops over lanes and unrolled loops into straight-line blocks of vector operations.
std::span<const Pass> loop_passes();
/// Arithmetic on straight-line blocks, without fused multiply-adds.
std::span<const Pass> arithmetic_passes();
/// Contraction into fused multiply-adds, for targets that have them.
std::span<const Pass> fma_passes();
/// Instruction selection, addresses and scheduling for machine code.
std::span<const Pass> codegen_passes();

/// Called with the program after each pass.
using Observer = std::function<void(const Pass&, const ir::Program&)>;

/// Runs `passes` in order. Builds with assertions verify the result of each; InternalError names the pass.
ir::Program run(ir::Program program, const Context& context, std::span<const Pass> passes,
                const Observer& observer = {});

/// All lists that apply to the CPU, in the order above.
ir::Program run_for_cpu(ir::Program program, const target::Cpu& cpu, const Observer& observer = {});

/// For programs whose builder fixed the order of operations and the vectors: only the passes that machine code
/// requires.
ir::Program run_codegen_passes(ir::Program program, const target::Cpu& cpu, const Observer& observer = {});

/// The passes of run_for_cpu.
std::vector<Pass> passes_for(const target::Cpu& cpu);

/// Arithmetic passes for GPU kernels, whose threads work on scalars: common subexpressions, constants, signs, fused
/// multiply-adds. Register allocation and scheduling are left to the driver's compiler.
ir::Program run_for_gpu(ir::Program program, const Observer& observer = {});

/// The passes of run_for_gpu.
std::vector<Pass> passes_for_gpu();

} // namespace swirl::passes
