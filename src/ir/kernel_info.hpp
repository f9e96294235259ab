#pragma once

#include "ir/program.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::ir {

/// One buffer as those who launch the kernel see it.
struct KernelBuffer {
    std::string name;
    Space space = Space::argument; ///< its role: the caller's data, a table, workspace, …
    Scalar element = Scalar::float64;
    Integer elements = 0;
    Integer first = 0;
    Integer bytes = 0;
    int alignment = 0; ///< bytes; 0: of the element
    bool written = false;
};

/// A kernel's description: all that is needed to launch it, to budget its memory and to rate its speed. It travels
/// with the kernel; nobody else works any of this out.
struct KernelInfo {
    std::string name;
    std::vector<Integer> factors;     ///< the radices of its passes, first pass first; empty if it has none
    Integer transforms_per_block = 1; ///< computed by one block (on a CPU: by one call)
    Launch launch;
    std::vector<KernelBuffer> buffers;   ///< in the program's order
    std::vector<std::string> parameters; ///< integer arguments, by position
    Integer workspace_bytes = 0;         ///< scratch, from the caller
    Integer table_bytes = 0;
    Integer local_bytes = 0;          ///< a thread
    Integer shared_bytes = 0;         ///< a block
    Integer dynamic_shared_bytes = 0; ///< of shared_bytes, what a launch has to ask for
    int registers = 0;                ///< a thread; 0: not known, as before machine code is made
    int spilled_bytes = 0;            ///< a thread
    int resident_blocks = 0;          ///< that a multiprocessor holds at once; 0: not known
    Integer flops = 0;                ///< of the whole launch
    Integer bytes_loaded = 0;         ///< from arguments, scratch and tables by the whole launch
    Integer bytes_stored = 0;         ///< to arguments and scratch by the whole launch
};

/// What a program says of itself. `parameters` are needed where loops or conditions depend on them.
KernelInfo describe(const Program& program, std::vector<Integer> factors = {},
                    Integer transforms_per_block = 1, std::span<const Integer> parameters = {});

/// A few lines of text.
std::string to_string(const KernelInfo& info);

} // namespace swirl::ir
