#include "ir/tensor_core.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace swirl::ir {

namespace {

constexpr int fraction_bits = 52, exponent_bias = 1023, exponent_mask = 0x7ff; // of float64
constexpr int least_exponent_of_sums = -126;                                   // float32's

int exponent_of(double x) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> fraction_bits & exponent_mask) - exponent_bias;
}

/// 2^exponent, where that is a normal float64.
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + exponent_bias) << fraction_bits);
}

/// To float32 with so many bits of fraction, towards zero.
float cut_off(double x, int bits) {
    const double unit = power_of_two(std::max(exponent_of(x), least_exponent_of_sums) - bits);
    return static_cast<float>(std::trunc(x / unit) * unit);
}

} // namespace

TensorCoreFactor tensor_core_factor(double value, int least_exponent) {
    if (value == 0) return {value, least_exponent_of_sums};
    return {value, std::max(exponent_of(value), least_exponent)};
}

float tensor_core_sum(std::span<const TensorCoreFactor> a, std::span<const TensorCoreFactor> b, float sum,
                      const TensorCoreSums& rounding) {
    double exact = static_cast<double>(sum);
    int largest = tensor_core_factor(exact, least_exponent_of_sums).exponent;
    for (std::size_t k = 0; k < a.size(); ++k) {
        exact += a[k].value * b[k].value;
        largest = std::max(largest, a[k].exponent + b[k].exponent);
    }
    if (!std::isfinite(exact)) return static_cast<float>(exact);
    const double scale = power_of_two(rounding.aligned_bits - largest);
    auto units = static_cast<std::int64_t>(static_cast<double>(sum) * scale);
    for (std::size_t k = 0; k < a.size(); ++k)
        units += static_cast<std::int64_t>(a[k].value * b[k].value * scale);
    return cut_off(static_cast<double>(units) / scale, rounding.kept_bits);
}

} // namespace swirl::ir
