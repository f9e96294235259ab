#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Stores the argument `buffer` in another floating-point type: loads convert to the original type, stores convert from
/// it, with one rounding. The alignment stays the same number of elements.
///
/// Before: loads and stores only, no atomic additions.
ir::Program change_storage(ir::Program program, ir::Buffer buffer, DataType storage);

} // namespace swirl::passes
