#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Keeps in values what unrolled code would pass through memory.
///
/// Within a straight run, a load of exactly what an earlier store wrote becomes the stored value, unless a store in
/// between may touch it; on a load of fewer lanes than its vector has, nothing may depend on the others. Then stores that nothing can observe go: those overwritten before any read, in
/// a run that reads the buffer, and those to scratch and local memory that no load of the program reads.
ir::Program scalar_replacement(ir::Program program);

} // namespace swirl::passes
