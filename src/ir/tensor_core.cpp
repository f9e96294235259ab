#include "ir/tensor_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace swirl::ir {

namespace {

constexpr int fraction_bits = 52, exponent_bias = 1023, exponent_mask = 0x7ff; // of float64
constexpr int min_accumulator_exponent = -126;                                 // float32's

int exponent_of(double x) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> fraction_bits & exponent_mask) - exponent_bias;
}

/// 2^exponent, if that is a normal float64.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + exponent_bias) << fraction_bits);
}

/// Truncates to float32 with `bits` fraction bits.
float cut_off(double x, int bits) {
    const double unit = power_of_two(std::max(exponent_of(x), min_accumulator_exponent) - bits);
    return static_cast<float>(std::trunc(x / unit) * unit);
}

} // namespace

TensorCoreOperand tensor_core_operand(double value, int least_exponent) {
    if (value == 0) return {value, min_accumulator_exponent};
    return {value, std::max(exponent_of(value), least_exponent)};
}

float tensor_core_accumulate(std::span<const TensorCoreOperand> a, std::span<const TensorCoreOperand> b,
                             float sum, const TensorCoreRounding& rounding) {
    double exact = static_cast<double>(sum);
    int largest = tensor_core_operand(exact, min_accumulator_exponent).exponent;
    for (std::size_t k = 0; k < a.size(); ++k) {
        exact += a[k].value * b[k].value;
        largest = std::max(largest, a[k].exponent + b[k].exponent);
    }
    if (!std::isfinite(exact)) return static_cast<float>(exact);
    const double scale = power_of_two(rounding.aligned_bits - largest);
    auto units = static_cast<std::int64_t>(static_cast<double>(sum) * scale);
    for (std::size_t k = 0; k < a.size(); ++k)
        units += static_cast<std::int64_t>(a[k].value * b[k].value * scale);
    return cut_off(static_cast<double>(units) / scale, rounding.result_fraction_bits);
}

} // namespace swirl::ir
