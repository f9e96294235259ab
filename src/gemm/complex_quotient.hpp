#pragma once

#include "gemm/complex_lanes.hpp"

namespace swirl::gemm {

/// a / b; for complex numbers by Smith's algorithm (1962), with powers of two that keep large and small components of
/// a and b from over- and underflowing on the way. Its error is small compared with the quotient's magnitude, not with
/// each component. What is divided by zero is infinite or NaN.
Components quotient(ir::Builder& builder, const Components& a, const Components& b);

} // namespace swirl::gemm
