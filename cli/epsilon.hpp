#pragma once

#include <swirl/kinds.hpp>

namespace swirl::cli {

/// Machine epsilon: distance from 1 to the next larger representable value.
constexpr double epsilon_of(DataType precision) {
    switch (precision) {
    case DataType::float32: return 0x1p-23;
    case DataType::float16: return 0x1p-10;
    case DataType::bfloat16: return 0x1p-7;
    default: return 0x1p-52;
    }
}

} // namespace swirl::cli
