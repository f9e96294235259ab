#pragma once

#include "formula/formula.hpp"
#include "ir/program.hpp"
#include "loops/loop_program.hpp"
#include "loops/request.hpp"
#include "loops/twiddle.hpp"
#include "lower/arithmetic.hpp"

#include <optional>
#include <string>
#include <vector>

/// Σ-SPL → ir. Lowering obeys the loops' tags and chooses nothing.
namespace swirl::lower {

using namespace loops;  // this folder works on that level
using loops::Placement; // of a codelet, not of the problem

/// A caller's array other than input and output.
struct AuxiliaryArray {
    std::string name;
    bool is_complex = true;
    Integer elements = 0;
    bool operator==(const AuxiliaryArray&) const = default;
};

struct KernelRequest {
    std::string name;
    loops::Request loops;
    std::vector<AuxiliaryArray> arrays = {};
    Multiplication multiplication = Multiplication::fused;
    Roots roots = Roots::by_size;
};

/// The role of an array's buffer. A temporary is workspace.
ir::ArgumentRole argument_role(Array::Role role);

/// The kernel: codelets become straight-line operations in loops as tagged. Its buffers are the arguments ("input",
/// "output" or "data"), then the used auxiliary `arrays` with the prefix "auxiliary_", then scratch and tables, in order of first use.
ir::Program lower(const KernelRequest& request, const LoopProgram& loops);

/// For a CPU: builds the loops and runs their passes first.
ir::Program lower(const KernelRequest& request);

} // namespace swirl::lower
