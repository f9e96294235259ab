#pragma once

#include "ir/program.hpp"

#include <string_view>

namespace swirl::passes {

/// Splits the interleaved complex argument `name` into two buffers, `name`_re and `name`_im, in its place: scalar 2e+c
/// becomes element e of buffer c.
///
/// Before: scalar accesses, or accesses to both components of an element (no vectors yet), whose variables have even
/// coefficients; integer tables that feed dynamic indices hold even values and feed nothing else. InternalError names
/// the access that does not comply.
/// Argument indices shift: the buffers after `name` move up by one.
ir::Program interleaved_to_planar(ir::Program program, std::string_view name);

/// The inverse: element e of `re` and of `im` become scalars 2e and 2e+1 of one buffer `name`, at the position of
/// `re`.
ir::Program planar_to_interleaved(ir::Program program, std::string_view re, std::string_view im,
                                  std::string_view name);

} // namespace swirl::passes
