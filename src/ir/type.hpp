#pragma once

#include <compare>
#include <cstdint>

namespace swirl::ir {

/// Scalars of storage and arithmetic. float8_e4m3, float16 and bfloat16 are storage types; integers wrap around.
enum class Scalar : std::uint8_t {
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    int64,
    float8_e4m3,
    float16,
    bfloat16,
    float32,
    float64
};

/// A scalar (one lane) or a short vector.
struct Type {
    Scalar scalar = Scalar::float64;
    int lanes = 1;
    auto operator<=>(const Type&) const = default;
};

constexpr bool is_floating(Scalar s) { return s >= Scalar::float8_e4m3; }
constexpr bool is_integer(Scalar s) { return s >= Scalar::int8 && s <= Scalar::int64; }
/// Integers other than those used for counts and addresses.
constexpr bool is_short_integer(Scalar s) { return s >= Scalar::int8 && s <= Scalar::int32; }
constexpr int size_in_bytes(Scalar s) {
    switch (s) {
    case Scalar::boolean:
    case Scalar::int8:
    case Scalar::uint8:
    case Scalar::float8_e4m3: return 1;
    case Scalar::int16:
    case Scalar::uint16:
    case Scalar::float16:
    case Scalar::bfloat16: return 2;
    case Scalar::int32:
    case Scalar::float32: return 4;
    case Scalar::int64:
    case Scalar::float64: return 8;
    }
    return 0;
}

} // namespace swirl::ir
