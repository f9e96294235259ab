#pragma once

#include "problem/problem.hpp"

namespace swirl {

/// Throws UserError, naming the argument, its value and what would work, unless the problem can be computed as
/// stated:
/// - at least one dimension; lengths and batch counts ≥ 1; powers of two for wht
/// - a precision that is not reserved; a finite scale; direction and layout only where the kind has them
/// - sizes and the extreme addresses, in bytes, fit in 64 bits
/// - no two elements of the output share a place (input elements may, out of place)
/// - in place: input and output strides agree, for real_dft in the sense of the padded layout (see Problem)
///
/// Past this call the other folders rely on all of it and check nothing again.
void validate(const Problem& problem);

} // namespace swirl
