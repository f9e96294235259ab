#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

struct UnrollOptions {
    Integer serial_trip_count =
        1; ///< serial and parallel loops of at most so many iterations are unrolled too
};

/// Replaces loops of kind `unrolled`, whose trip count must be a constant, by copies of their bodies with the loop
/// variable's values put in, and joins the straight runs that become neighbours.
///
/// Before: any program.   After: no loop is of kind `unrolled`, no condition has a known outcome.
/// Loops of kind `vector` stay. A loop that is copied gets a variable of its own in each copy.
ir::Program unroll(ir::Program program, const UnrollOptions& options = {});

} // namespace swirl::passes
