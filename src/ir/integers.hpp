#pragma once

#include "ir/type.hpp"

/// Integers of the IR in the interpreter's representation: their values, as int64.
namespace swirl::ir {

/// The value represented by the lower bits.
constexpr std::int64_t wrapped(DataType scalar, std::int64_t value) {
    switch (scalar) {
    case DataType::int8: return static_cast<std::int8_t>(value);
    case DataType::uint8: return static_cast<std::uint8_t>(value);
    case DataType::int16: return static_cast<std::int16_t>(value);
    case DataType::uint16: return static_cast<std::uint16_t>(value);
    case DataType::int32: return static_cast<std::int32_t>(value);
    default: return value;
    }
}

/// Byte `index` of an integer; 0 is the lowest.
constexpr std::uint8_t byte_of(std::int64_t value, int index) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * index));
}

} // namespace swirl::ir
