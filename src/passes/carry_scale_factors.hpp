#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Delays multiplications by constants until an addition absorbs them as a fused multiply-add, for machines that have
/// these: the rotations of an FFT then cost two operations instead of four.
///
/// A value is carried as scale · base. c·a + s·b becomes c·(a + (s/c)·b), |s| ≤ |c|; sums of equally scaled values are
/// formed on their bases; x + c·y is one fused operation. Only where a scaled value is stored, or meets what is neither
/// a sum nor a product, it is multiplied out. This is the tangent form of Linzer and Feig (1993), for any straight-line
/// sums of products. Ratios of constants are computed in long double; no more roundings than before occur on any path
/// from an input to an output.
///
/// Before: constants are folded and signs propagated.   After: form_fma contracts what products of variables are left.
ir::Program carry_scale_factors(ir::Program program);

} // namespace swirl::passes
