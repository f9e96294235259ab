#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Delays multiplications by constants until an addition absorbs them as a fused multiply-add, for targets with FMA:
/// the rotations of an FFT then cost two operations instead of four.
///
/// A value is represented as scale · base. c·a + s·b becomes c·(a + (s/c)·b), |s| ≤ |c|; sums of equally scaled values
/// are formed on their bases; x + c·y is one fused operation. A scaled value is multiplied out only if it is stored or
/// used by an operation other than a sum or product. This is the tangent form of Linzer and Feig (1993), for arbitrary
/// straight-line sums of products. Ratios of constants are computed in long double; no path from an input to an output
/// has more roundings than before.
///
/// A strict operation takes and gives values that are multiplied out, as it may overflow where its base does not.
///
/// Before: constants are folded and signs propagated.   After: form_fma contracts the remaining products of variables.
/// False if it changes nothing.
bool propagate_scale_factors_in(ir::Program& program);
inline ir::Program propagate_scale_factors(ir::Program program) {
    propagate_scale_factors_in(program);
    return program;
}

} // namespace swirl::passes
