#include "ir/rounding.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace swirl::ir {

namespace {

/// x rounded to `digits` significant bits, with a quantum of at least 2^(least_exponent − digits + 1); infinite from
/// `overflow` on, the largest finite value plus half its quantum.
double round_to_digits(double x, int digits, int least_exponent, double overflow) {
    if (!(std::fabs(x) < overflow)) return std::isnan(x) ? x : std::copysign(HUGE_VAL, x);
    if (x == 0) return x;
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), least_exponent) - digits + 1);
    return std::copysign(std::nearbyint(x / quantum) * quantum, x);
}

/// `rounded` is x to nearest, and `rest` has the sign of x − rounded. Returns x rounded to odd: rounding that further
/// to at least two bits fewer is as if x had been rounded once (Boldo and Melquiond, 2008).
double to_odd(double rounded, double rest) {
    if (rest == 0 || !std::isfinite(rounded)) return rounded;
    const auto bits = std::bit_cast<std::uint64_t>(rounded);
    if (bits & 1U) return rounded;
    if (rounded == 0) return rounded;
    return std::bit_cast<double>((rest > 0) == (rounded > 0) ? bits + 1 : bits - 1);
}

double round_to_short(DataType scalar, double x) {
    return scalar == DataType::float16 ? round_to_float16(x) : round_to_bfloat16(x);
}

} // namespace

double round_to_float16(double x) { return round_to_digits(x, 11, -14, 65520.0); }
double round_to_float8_e4m3(double x) {
    constexpr double largest = 448; // conversion saturates
    return round_to_digits(std::isnan(x) ? x : std::clamp(x, -largest, largest), 4, -6, HUGE_VAL);
}
double round_to_bfloat16(double x) { return round_to_digits(x, 8, -126, 0x1.ffp127); }

double round_to_tf32(double x) { return round_to_digits(x, 11, -126, 0x1.ffep127); }

long double largest_of(DataType scalar) {
    return scalar == DataType::float64 ? std::numeric_limits<double>::max()
                                       : std::numeric_limits<float>::max();
}

long double least_normal_of(DataType scalar) {
    return scalar == DataType::float64 ? std::numeric_limits<double>::min()
                                       : std::numeric_limits<float>::min();
}

double round_to(DataType scalar, double x) {
    switch (scalar) {
    case DataType::float64: return x;
    case DataType::float32: return static_cast<double>(static_cast<float>(x));
    case DataType::float8_e4m3: return round_to_float8_e4m3(x);
    case DataType::float16: return round_to_float16(x);
    case DataType::bfloat16: return round_to_bfloat16(x);
    default: throw InternalError("rounding to a type that is not floating");
    }
}

double round_to(DataType scalar, long double x) {
    const double rounded = static_cast<double>(x);
    if (scalar == DataType::float64) return rounded;
    if (scalar == DataType::float32) return static_cast<double>(static_cast<float>(x));
    const double rest =
        std::isfinite(rounded) ? static_cast<double>(x - static_cast<long double>(rounded)) : 0;
    return round_to(scalar, to_odd(rounded, rest));
}

double round_to(DataType scalar, std::int64_t x) {
    if (scalar == DataType::float64) return static_cast<double>(x);
    if (scalar == DataType::float32) return static_cast<double>(static_cast<float>(x));
    // Folds low bits beyond a double's precision into one odd bit, which decides ties.
    if (x > INT64_C(1) << 53 || x < -(INT64_C(1) << 53))
        x = (x & ~INT64_C(0xfff)) | ((x & 0xfff) ? 0x800 : 0);
    return round_to(scalar, static_cast<double>(x));
}

float without_subnormal(float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}

double fma_rounded_to(DataType scalar, double a, double b, double c) {
    if (scalar == DataType::float64) return std::fma(a, b, c);
    if (scalar == DataType::float32)
        return static_cast<double>(
            std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
    // The product of two 16-bit values is exact in double; Knuth's two-sum gives the error of the sum.
    const double product = a * b;
    const double sum = product + c;
    const double addend = sum - product;
    const double rest = (product - (sum - addend)) + (c - addend);
    return round_to_short(scalar, to_odd(sum, rest));
}

} // namespace swirl::ir
