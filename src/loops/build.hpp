#pragma once

#include "base/error.hpp"
#include "loops/loop_program.hpp"
#include "loops/request.hpp"

namespace swirl::loops {

/// Formula → Σ-SPL. Kronecker products with identities become loops, factors that only move or scale entries fold into
/// the ends of the codelets beside them (Franchetti, Voronenko, Püschel, "Formal loop merging for signal transforms",
/// PLDI 2005). All loops are serial: see passes.hpp for what follows.
/// UnfollowedMap if padded rows of shared memory separate entries that a copy keeps together.
LoopProgram build(const Request& request);

/// A copy's index map is neither affine in loops over its entries nor expressible as a table.
class UnfollowedMap : public InternalError {
public:
    UnfollowedMap() : InternalError("an index map of a copy is neither affine nor a table") {}
};

} // namespace swirl::loops
