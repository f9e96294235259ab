#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// The same program with `to` in place of `from` everywhere: buffers, tables (kept in long double and rounded when the
/// kernel is generated), constants and arithmetic. Before: no target instructions, which are specific to a type.
ir::Program change_precision(ir::Program program, DataType from, DataType to);

} // namespace swirl::passes
