#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// Fuses an expanded convolution's multiplication into a pass. If the last pass of the forward transform and the first
/// pass of the backward transform are
///   (A ⊗ I_c) · … and … · (B ⊗ I_c),
/// they become one pass around the diagonal,  … · (B ⊗ I_c) · diag(argument) · (A ⊗ I_c) · …, which needs no exchange
/// of entries. Other formulas are returned unchanged.
formula::Formula with_product_between_columns(const formula::Formula& convolution);

} // namespace swirl::rules
