#pragma once

#include <compare>
#include <cstdint>

namespace swirl::ir {

/// Scalars of storage and arithmetic. float8_e4m3, float16 and bfloat16 are storage types; integers wrap around.
enum class DataType : std::uint8_t {
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
    DataType scalar = DataType::float64;
    int lanes = 1;
    auto operator<=>(const Type&) const = default;
};

constexpr bool is_floating(DataType s) { return s >= DataType::float8_e4m3; }
constexpr bool is_integer(DataType s) { return s >= DataType::int8 && s <= DataType::int64; }
/// Integers other than those used for counts and addresses.
constexpr bool is_short_integer(DataType s) { return s >= DataType::int8 && s <= DataType::int32; }
constexpr int bytes_of(DataType s) {
    switch (s) {
    case DataType::boolean:
    case DataType::int8:
    case DataType::uint8:
    case DataType::float8_e4m3: return 1;
    case DataType::int16:
    case DataType::uint16:
    case DataType::float16:
    case DataType::bfloat16: return 2;
    case DataType::int32:
    case DataType::float32: return 4;
    case DataType::int64:
    case DataType::float64: return 8;
    }
    return 0;
}

} // namespace swirl::ir
