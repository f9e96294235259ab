#pragma once

#include "ir/program.hpp"

#include <string_view>

namespace swirl::passes {

/// Splits the interleaved complex argument `name` into two buffers, `name`_re and `name`_im, in its place: scalar 2e+c
/// becomes element e of buffer c.
///
/// Before: scalar accesses, or accesses to both parts of a number (no vectors yet), whose variables have even
/// coefficients; integer tables that feed dynamic
/// indices hold even numbers and feed nothing else. InternalError names the access that does not comply.
/// Argument numbers shift: the buffers after `name` come one later.
ir::Program interleaved_to_planar(ir::Program program, std::string_view name);

/// The inverse: element e of `re` and of `im` become scalars 2e and 2e+1 of one buffer `name`, in the place of `re`.
ir::Program planar_to_interleaved(ir::Program program, std::string_view re, std::string_view im,
                                  std::string_view name);

} // namespace swirl::passes
