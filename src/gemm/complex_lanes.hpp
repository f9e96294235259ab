#pragma once

#include "ir/builder.hpp"

#include <array>

/// Vectors of complex numbers that alternate real and imaginary parts in memory, held as two vectors of parts.
namespace swirl::gemm {

/// Real and imaginary parts; of real numbers, the numbers and nothing.
using Parts = std::array<ir::Value, 2>;

/// The first `active` of `lanes` complex numbers from an index of scalars on.
Parts load_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, int lanes, int active,
                 ir::Value dynamic);
void store_pairs(ir::Builder& builder, ir::Buffer buffer, const Affine& index, const Parts& parts, int active,
                 ir::Value dynamic);

} // namespace swirl::gemm
