#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Keeps in registers what unrolled code would pass through memory.
///
/// Within a straight-line block, a load of exactly what an earlier store wrote becomes the stored value, unless a
/// store in between may alias it; if a load has fewer active lanes than its vector, nothing may depend on the others. A
/// vector whose lanes are in a few stored vectors is shuffled from these.
/// Then removes unobservable stores: those overwritten before any read, in a straight-line block that reads the
/// buffer, and those to scratch and local memory that no load of the program reads.
ir::Program scalar_replacement(ir::Program program);

} // namespace swirl::passes
