#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// The same program with `to` in place of `from` everywhere: buffers, tables (their contents are kept in long double and
/// rounded when the kernel is made), constants and arithmetic. Before: no target instructions, which are of one type.
ir::Program change_precision(ir::Program program, ir::Scalar from, ir::Scalar to);

} // namespace swirl::passes
