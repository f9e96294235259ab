#pragma once

#include <swirl/data_type.hpp>

#include <compare>

namespace swirl::ir {

/// A scalar (one lane) or a short vector. `scalar` is boolean, an integer or real floating-point; a complex or normalised
/// element is scalars of its components or integers here. float8_e4m3, float16 and bfloat16 are storage types; integers
/// wrap around.
struct Type {
    DataType scalar = DataType::float64;
    int lanes = 1;
    auto operator<=>(const Type&) const = default;
};

/// Whether memory and registers of programs may hold the type.
constexpr bool is_scalar(DataType type) { return !is_complex(type) && !is_normalised(type); }

} // namespace swirl::ir
