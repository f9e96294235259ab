#pragma once

#include "emit/identifiers.hpp"
#include "emit/ptx/ptx.hpp"
#include "emit/usage.hpp"

#include <string>
#include <vector>

namespace swirl::emit {

/// Where a buffer lies while the kernel runs.
struct BufferLocation {
    enum class Space : std::uint8_t { global, shared, local, registers, parameter };
    Space space = Space::global;
    bool is_passed = false;   ///< its address is a parameter
    bool is_constant = false; ///< nothing writes it while the kernel runs
    std::string name;         ///< of the parameter, or of the data
    Integer bytes = 0;        ///< of the data, `origin` included
    Integer origin = 0;       ///< bytes from the name to index 0
    Integer alignment = 1;    ///< a known divisor, in bytes, of the address of index 0
};

/// Names and locations of everything that a kernel's module declares; checks that the program is a GPU program.
struct PtxLayout {
    PtxLayout(const ir::Program& program, const Usage& usage, const PtxOptions& options);

    std::string entry;
    std::vector<BufferLocation> locations; ///< by Buffer
    std::vector<std::string> tensors;      ///< their names, by Tensor; empty: unused
    std::vector<Variable> variables;       ///< the integer parameters by position
    std::vector<std::string> integers;     ///< their names
    int capability = 0;                    ///< of the target: 80 for sm_80
    std::string version;
    /// All shared buffers in one array that the launch allocates; empty: each is declared with its size.
    std::string dynamic_shared;
    Integer dynamic_shared_bytes = 0;
    Integer dynamic_shared_alignment = 0;

private:
    void declare_global(const ir::BufferInfo& buffer, BufferLocation& location, const PtxOptions& options);
    void pass_tensors(const ir::Program& program, const Usage& usage, Identifiers& names);
    void allocate_shared(const ir::Program& program, const Usage& usage, Identifiers& names);
};

} // namespace swirl::emit
