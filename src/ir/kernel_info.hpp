#pragma once

#include "ir/program.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::ir {

/// A buffer as the kernel's launcher sees it.
struct KernelBuffer {
    std::string name;
    Space space = Space::argument; ///< the caller's data, a table, workspace, …
    DataType element = DataType::float64;
    Integer elements = 0;
    Integer first = 0;
    Integer bytes = 0;
    int alignment = 0; ///< bytes; 0: that of the element type
    bool written = false;
};

/// A kernel's description: everything needed to launch it, to budget its memory and to rate its speed. It travels with
/// the kernel and is the only source of this information.
struct KernelInfo {
    std::string name;
    std::vector<Integer> factors;     ///< radices of its passes, first pass first; empty if it has none
    Integer transforms_per_block = 1; ///< computed by one block (on a CPU: by one call)
    Launch launch;
    std::vector<KernelBuffer> buffers;   ///< in the program's order
    std::vector<std::string> parameters; ///< integer arguments, by position
    Integer workspace_bytes = 0;         ///< scratch, provided by the caller
    Integer table_bytes = 0;
    Integer local_bytes = 0;          ///< per thread
    Integer shared_bytes = 0;         ///< per block
    Integer dynamic_shared_bytes = 0; ///< the share of shared_bytes that a launch must request
    int registers = 0;                ///< per thread; 0: unknown, as before code generation
    int spilled_bytes = 0;            ///< per thread
    int resident_blocks = 0;          ///< per multiprocessor; 0: unknown
    Integer flops = 0;                ///< of the whole launch
    Integer bytes_loaded = 0;         ///< from arguments, scratch and tables by the whole launch
    Integer bytes_stored = 0;         ///< to arguments and scratch by the whole launch
};

/// Describes a program. `parameters` are needed if loops or conditions depend on them.
KernelInfo describe(const Program& program, std::vector<Integer> factors = {},
                    Integer transforms_per_block = 1, std::span<const Integer> parameters = {});

/// A few lines of text.
std::string to_string(const KernelInfo& info);

} // namespace swirl::ir
