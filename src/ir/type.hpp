#pragma once

#include <compare>
#include <cstdint>

namespace swirl::ir {

/// Scalars of storage and arithmetic. float16 and bfloat16 are storage types.
enum class Scalar : std::uint8_t { boolean, int64, float16, bfloat16, float32, float64 };

/// A scalar (one lane) or a short vector.
struct Type {
    Scalar scalar = Scalar::float64;
    int lanes = 1;
    auto operator<=>(const Type&) const = default;
};

constexpr bool is_floating(Scalar s) { return s >= Scalar::float16; }
constexpr int size_in_bytes(Scalar s) {
    switch (s) {
    case Scalar::boolean: return 1;
    case Scalar::float16:
    case Scalar::bfloat16: return 2;
    case Scalar::float32: return 4;
    case Scalar::int64:
    case Scalar::float64: return 8;
    }
    return 0;
}

} // namespace swirl::ir
