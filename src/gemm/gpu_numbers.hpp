#pragma once

#include <swirl/matrix_product.hpp>

#include "ir/builder.hpp"

#include <vector>

/// Numbers that are narrower in memory than in arithmetic.
namespace swirl::gemm {

/// What a stored number is over its value: 255 of unorm8, 1 of numbers that are no normalised ones.
constexpr Integer units_of(Number number) {
    switch (number) {
    case Number::unorm8: return 255;
    case Number::snorm8: return 127;
    case Number::unorm16: return 65535;
    case Number::snorm16: return 32767;
    default: return 1;
    }
}

/// Stored numbers in the scalars of sums, in units: what is normalised stays a whole number.
ir::Value widened(ir::Builder& builder, ir::Value stored, Number number, ir::Scalar sums);

/// Appends the elements of a stored vector, each by itself, likewise.
void append_widened(ir::Builder& builder, ir::Value stored, Number number, ir::Scalar sums,
                    std::vector<ir::Value>& elements);

/// Numbers as they are stored: rounded to the nearest, ties to even; integers keep to their range, NaN becomes 0.
ir::Value narrowed(ir::Builder& builder, ir::Value value, Number to);

} // namespace swirl::gemm
