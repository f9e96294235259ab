#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Evaluates arithmetic on constants in long double, and removes trivial arithmetic: x + 0, x·0, x·1, x·(−1), the same
/// inside fma, fms and fnma, x − x, −(−x), c·(d·x) if d·x has no other use, and shuffles and splats of constants.
///
/// Before and after: any program.   Infinity and NaN times zero become zero, and −0 may become +0. Strict operations
/// keep all values: of them only constants are evaluated, rounded to their type, and x + (−0), x − 0, x·1 and x·(−1) are
/// removed.
/// False if it changes nothing.
bool fold_constants_in(ir::Program& program);
inline ir::Program fold_constants(ir::Program program) {
    fold_constants_in(program);
    return program;
}

} // namespace swirl::passes
