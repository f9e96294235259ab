#pragma once

#include "ir/program.hpp"
#include "ir/verify.hpp"
#include "target/cpu.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

/// The order of the passes, as data.
namespace swirl::passes {

/// What passes know about the machine.
struct Context {
    const target::Cpu* cpu;
    int lanes; ///< of a machine vector of the program's floating type
};

struct Pass {
    std::string_view name;
    ir::Program (*function)(ir::Program, const Context&);
    ir::Stage stage; ///< that the result verifies at, given a program of this or the stage before
};

/// Loops over lanes and unrolled loops become straight runs of vector operations.
std::span<const Pass> loop_passes();
/// Arithmetic on straight runs, without fused multiply-adds.
std::span<const Pass> arithmetic_passes();
/// Contraction into fused multiply-adds; for machines that have them.
std::span<const Pass> fma_passes();
/// Instructions, addresses and the order of operations: what machine code wants.
std::span<const Pass> machine_passes();

/// Called with the program after each pass.
using Observer = std::function<void(const Pass&, const ir::Program&)>;

/// Runs `passes` in order. In builds with assertions the result of each is verified; InternalError names the pass.
ir::Program run(ir::Program program, const Context& context, std::span<const Pass> passes,
                const Observer& observer = {});

/// All lists that apply to the CPU, in the order above.
ir::Program run_for_cpu(ir::Program program, const target::Cpu& cpu, const Observer& observer = {});

/// For programs whose builder chose the order of operations and the vectors itself: what machine code needs, and no more.
ir::Program run_in_order(ir::Program program, const target::Cpu& cpu, const Observer& observer = {});

/// The passes of run_for_cpu.
std::vector<Pass> passes_for(const target::Cpu& cpu);

/// The arithmetic of a GPU's kernel, whose threads work on scalars: common subexpressions, constants, signs, fused
/// multiply-adds. Registers and the order of operations are the driver's compiler's.
ir::Program run_for_gpu(ir::Program program, const Observer& observer = {});

/// The passes of run_for_gpu.
std::vector<Pass> passes_for_gpu();

} // namespace swirl::passes
