#pragma once

#include <swirl/kinds.hpp>

namespace swirl::cli {

/// Machine epsilon: distance from 1 to the next larger representable value.
constexpr double epsilon_of(Precision precision) {
    switch (precision) {
    case Precision::float32: return 0x1p-23;
    case Precision::float16: return 0x1p-10;
    case Precision::bfloat16: return 0x1p-7;
    case Precision::float64: break;
    }
    return 0x1p-52;
}

} // namespace swirl::cli
