#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Contracts multiplications into the additions and subtractions that use them: a·b + c, a·b − c, c − a·b.
///
/// A multiplication is contracted into all its uses or none, so the number of operations only falls: with u uses,
/// u + 1 operations become u. Changes rounding (one instead of two) but no value that is exact.
/// Without `has_fms`, a·b − c costs an extra negation: it is formed only from what nothing else contracts.
/// Linzer and Feig (1993) show why the number of operations of an FFT falls this way.
ir::Program form_fma(ir::Program program, bool has_fms = true);

} // namespace swirl::passes
