#pragma once

#include <swirl/matrix_product.hpp>

#include "ir/builder.hpp"

#include <vector>

/// Data types narrower in memory than in arithmetic.
namespace swirl::gemm {

/// Ratio of the stored integer to its value: 255 for unorm8; 1 unless normalised.
constexpr Integer normalized_scale(DataType data_type) {
    switch (data_type) {
    case DataType::unorm8: return 255;
    case DataType::snorm8: return 127;
    case DataType::unorm16: return 65535;
    case DataType::snorm16: return 32767;
    default: return 1;
    }
}

/// Converts stored elements to accumulator_type, unscaled: normalised integers remain integers.
ir::Value widened(ir::Builder& builder, ir::Value stored, DataType data_type, DataType accumulator_type);

/// The same for a stored vector; appends its elements one by one.
void append_widened(ir::Builder& builder, ir::Value stored, DataType data_type, DataType accumulator_type,
                    std::vector<ir::Value>& elements);

/// Converts to a stored type: rounds to nearest, ties to even; integers saturate, and NaN becomes 0.
ir::Value narrowed(ir::Builder& builder, ir::Value value, DataType to);

} // namespace swirl::gemm
