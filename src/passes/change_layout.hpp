#pragma once

#include "ir/program.hpp"

#include <string>

namespace swirl::passes {

/// Splits an interleaved complex argument into two buffers in its place, for the real and imaginary components, named
/// with the suffixes _re and _im: scalar 2e+c becomes element e of buffer c.
///
/// Before: scalar accesses, or accesses to both components of an element (no vectors yet), whose variables have even
/// coefficients; integer tables that feed dynamic indices hold even values and feed nothing else. InternalError names
/// the access that does not comply.
/// Argument indices shift: the buffers after `interleaved` move up by one.
ir::Program interleaved_to_planar(ir::Program program, ir::Buffer interleaved);

/// The array of the real components alone, of complex elements that are only stored: scalar 2e becomes element e; stores of
/// imaginary components are removed. Before: as above.
ir::Program real_components(ir::Program program, ir::Buffer interleaved);

/// The inverse of the first: element e of `re` and of `im` become scalars 2e and 2e+1 of one buffer `name`, at the position of
/// `re`.
ir::Program planar_to_interleaved(ir::Program program, ir::Buffer re, ir::Buffer im, std::string name);

} // namespace swirl::passes
