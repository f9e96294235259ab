#pragma once

#include "ir/builder.hpp"

#include <array>

/// Vectors of complex numbers: interleaved real and imaginary components in memory, two vectors of components in
/// registers.
namespace swirl::gemm {

/// Real and imaginary components; for real data the values and nothing.
using Components = std::array<ir::Value, 2>;

/// Loads the first `active` of `lanes` complex numbers, starting at a scalar index.
Components load_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, int lanes, int active,
                      ir::Value dynamic);
void store_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, const Components& components,
                 int active, ir::Value dynamic);

} // namespace swirl::gemm
