#pragma once

#include "formula/formula.hpp"

namespace swirl::rules {

/// Of an expanded convolution: where the last pass of the transform and the first one of the transform back are
///   (A ⊗ I_c) · … and … · (B ⊗ I_c),
/// they become one pass with the product in between,  … · (B ⊗ I_c) · diag(argument) · (A ⊗ I_c) · …, which needs no exchange
/// of entries. Other formulas stay as they are.
formula::Formula with_product_between_columns(const formula::Formula& convolution);

} // namespace swirl::rules
