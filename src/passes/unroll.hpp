#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

struct UnrollOptions {
    Integer serial_trip_count =
        1; ///< serial and parallel loops of at most this many iterations are unrolled too
};

/// Replaces loops of kind `unrolled`, which must have a constant trip count, by copies of their bodies with the loop
/// variable's values substituted, and joins the straight-line blocks that become adjacent.
///
/// Before: any program.   After: no loop is of kind `unrolled`, no condition has a known outcome.
/// Keeps loops of kind `vector`. Each copy of a loop gets its own variable.
ir::Program unroll(ir::Program program, const UnrollOptions& options = {});

} // namespace swirl::passes
