#pragma once

#include "plan/kernel.hpp"

#include <memory>

namespace swirl::planning {

/// A step's loops, for portable kernels: their codelets are those that are built in, as far as rules lead there.
struct PortableDerivation {
    formula::Formula formula;
    lower::LoopProgram loops;
};
PortableDerivation derive_portable(const Problem& problem, const Stage& stage,
                                   const rules::BreakdownTree& tree);

/// A kernel that needs no generated machine code: it walks the loop program and calls built-in codelets on several
/// iterations at once. Codelets that are not built in are products with their dense matrices.
std::unique_ptr<Kernel> make_portable_kernel(const Problem& problem, const Stage& stage,
                                             const rules::BreakdownTree& tree);

} // namespace swirl::planning
