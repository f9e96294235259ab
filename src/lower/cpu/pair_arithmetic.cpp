#include "lower/cpu/pair_arithmetic.hpp"

#include <cmath>

namespace swirl::lower {

Scaled PairArithmetic::add(const Scaled& a, const Scaled& b) {
    const bool rotated_a = a.re.is_zero(), rotated_b = b.re.is_zero();
    const bool zero_a = rotated_a && a.im.is_zero(), zero_b = rotated_b && b.im.is_zero();
    if (zero_a || zero_b || rotated_a == rotated_b) return Arithmetic::add(a, b);
    if (std::abs(b.scale - 1) < std::abs(a.scale - 1)) return add_imaginary(b, a);
    return add_imaginary(a, b);
}

/// Adds two operands, one of them rotated by i. Keeps the scale of `a`.
Scaled PairArithmetic::add_imaginary(const Scaled& a, const Scaled& b) {
    const long double ratio = b.scale / a.scale;
    if (b.re.is_zero()) return {add_rotated(a.re, ratio, b.im), {}, a.scale};
    return {{}, add_rotated(a.im, -ratio, b.re), a.scale}; // i·(a.im − i·b.re)
}

Real PairArithmetic::add_rotated(const Real& a, long double factor, const Real& b) {
    const ir::Value other = exchanged(b.value);
    const ir::Value signs = alternating(std::abs(factor));
    const bool negative = b.negative != (factor < 0);
    if (negative == a.negative) return {builder_.fma(signs, other, a.value), a.negative};
    return {builder_.fnma(signs, other, a.value), a.negative};
}

Scaled PairArithmetic::rotate_fused(const Scaled& a, std::complex<long double> factor) {
    const bool flat = std::abs(factor.real()) >= std::abs(factor.imag());
    // c·(1 + i·tan), or i·s·(1 − i·cot)
    const long double size = flat ? factor.real() : factor.imag();
    const long double slope = flat ? factor.imag() / size : -factor.real() / size;
    Scaled imaginary = multiply_by_i(a);
    if (slope < 0) imaginary = negate(imaginary);
    imaginary.scale *= std::abs(slope);
    Scaled result = add_imaginary(a, imaginary);
    result.scale *= std::abs(size);
    if (size < 0) result = negate(result);
    return flat ? result : multiply_by_i(result);
}

Scaled PairArithmetic::multiply(const Scaled& a, std::span<const std::complex<long double>> factors) {
    const bool rotated = a.re.is_zero();
    const Real& x = rotated ? a.im : a.re;
    if (x.is_zero()) return a;
    std::vector<long double> real, imaginary;
    for (const std::complex<long double>& factor : factors) {
        const std::complex<long double> whole =
            a.scale * (rotated ? std::complex(-factor.imag(), factor.real()) : factor);
        real.insert(real.end(), 2, whole.real());
        imaginary.push_back(-whole.imag());
        imaginary.push_back(whole.imag());
    }
    const ir::Value other = exchanged(x.value);
    const ir::Value straight = builder_.multiply(context_.vector_constant(std::move(real)), x.value);
    const ir::Value product = builder_.fma(context_.vector_constant(std::move(imaginary)), other, straight);
    return {{product, x.negative}, {}, 1};
}

Scaled PairArithmetic::conjugate(const Scaled& a) {
    const auto conjugated = [&](const Real& x) {
        if (x.is_zero()) return x;
        std::vector<long double> signs;
        for (int lane = 0; lane < type_.lanes; ++lane) signs.push_back(lane % 2 == 0 ? 1 : -1);
        return Real{builder_.multiply(context_.vector_constant(std::move(signs)), x.value), x.negative};
    };
    return {conjugated(a.re), -conjugated(a.im), a.scale};
}

ir::Value PairArithmetic::value(const Scaled& a) {
    if (a.im.is_zero()) return materialize(settle(a).re);
    const long double factor = a.im.negative ? -a.scale : a.scale;
    const ir::Value other = exchanged(a.im.value);
    return builder_.multiply(alternating(factor), other);
}

ir::Value PairArithmetic::exchanged(ir::Value a) {
    std::vector<std::int8_t> map;
    for (int lane = 0; lane < type_.lanes; ++lane) map.push_back(static_cast<std::int8_t>(lane ^ 1));
    return builder_.shuffle(a, a, std::move(map));
}

/// factor·i as lane multipliers, applied after exchanging neighbouring lanes.
ir::Value PairArithmetic::alternating(long double factor) {
    std::vector<long double> lanes;
    for (int lane = 0; lane < type_.lanes; ++lane) lanes.push_back(lane % 2 == 0 ? -factor : factor);
    return context_.vector_constant(std::move(lanes));
}

} // namespace swirl::lower
