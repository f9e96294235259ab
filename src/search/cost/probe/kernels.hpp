#pragma once

#include "base/integer.hpp"
#include "ir/program.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "target/cpu.hpp"

#include <string>
#include <vector>

namespace swirl::search {

/// Kernels that the probe times. All have the calling convention of ir::Program.
///
///   arithmetic: buffers {accumulators}, parameters {iterations}
///   memory:     buffers as named, parameters {elements, repetitions}; elements of 8 bytes, a multiple of `granule`
struct ProbeKernels {
    struct Arithmetic {
        runtime::KernelFunction run = nullptr;
        Integer elements = 0;  ///< of the buffer
        double flops_each = 0; ///< floating-point operations per iteration
        int fmas = 0;          ///< of each chain, per iteration
    };
    Arithmetic float32;
    Arithmetic float64;
    Arithmetic chain_float32; ///< a single chain: each multiply-add depends on the one before
    Arithmetic chain_float64;
    runtime::KernelFunction read = nullptr;  ///< {from, sums}: at most `granule` elements in sums
    runtime::KernelFunction write = nullptr; ///< {to}
    runtime::KernelFunction copy = nullptr;  ///< {from, to}
    Integer granule = 1;
    std::string made_of; ///< "avx512 machine code" or "portable C++"

    std::vector<runtime::ExecutableCode> code; ///< owns the generated functions
};

/// Independent chains x ← x·½ + ½ in registers, as many as the register file holds.
ir::Program arithmetic_program(const target::Cpu& cpu, DataType scalar);
/// The same with `chains` chains.
ir::Program arithmetic_program(const target::Cpu& cpu, DataType scalar, int chains);
ir::Program read_program(const target::Cpu& cpu);
ir::Program write_program(const target::Cpu& cpu);
ir::Program copy_program(const target::Cpu& cpu);

/// Floating-point operations per iteration of arithmetic_program.
double arithmetic_flops(const target::Cpu& cpu, DataType scalar);
/// Elements (of 8 bytes) per iteration of the memory programs.
Integer memory_granule(const target::Cpu& cpu);

/// Machine code for the CPU; throws runtime::ExecutableMemoryUnavailable.
ProbeKernels compiled_probe_kernels(const target::Cpu& cpu);
/// Loops of this library, as compiled with it.
ProbeKernels portable_probe_kernels();
/// The generated kernels if they can run here, else the portable ones.
ProbeKernels best_probe_kernels();

} // namespace swirl::search
