#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Gives every memory access an index of the form variable + constant, or a constant.
///
/// The variable part of an index becomes an induction of the innermost loop on which it depends: its start is an
/// affine form of outer variables, its step a constant. Equal variable parts share one induction. One that depends
/// only on parameters becomes an induction of step 0 of the outermost loop; a program without loops is wrapped in a
/// loop of one iteration.
ir::Program strength_reduce_addresses(ir::Program program);

} // namespace swirl::passes
