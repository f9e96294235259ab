#include "lower/arithmetic.hpp"

#include "ir/rounding.hpp"

#include <cmath>

namespace swirl::lower {

namespace {

/// Constants closer than this to 0 or to each other differ only by rounding.
constexpr long double rounding = 1e-17L;

bool same(long double a, long double b) { return std::abs(a - b) <= rounding * std::abs(a); }

} // namespace

Real Arithmetic::add(const Real& a, const Real& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    if (a.negative == b.negative) return {builder_.add(a.value, b.value), a.negative};
    if (a.negative) return {builder_.subtract(b.value, a.value)};
    return {builder_.subtract(a.value, b.value)};
}

bool is_near_overflow(long double magnitude, DataType scalar) {
    constexpr long double small = 0x1p8L;
    return magnitude > ir::largest_of(scalar) / small;
}

Real Arithmetic::multiply(const Real& a, long double factor) {
    if (a.is_zero() || factor == 0) return {};
    if (std::abs(factor) > ir::largest_of(type_.scalar))
        return multiply(multiply(a, factor / overflow_scale), overflow_scale);
    const bool negative = a.negative != (factor < 0);
    const long double magnitude = std::abs(factor);
    if (same(magnitude, 1)) return {a.value, negative};
    return {builder_.multiply(builder_.constant(type_, magnitude), a.value), negative};
}

Real Arithmetic::multiply(const Real& a, const Real& b) {
    if (a.is_zero() || b.is_zero()) return {};
    return {builder_.multiply(a.value, b.value), a.negative != b.negative};
}

Real Arithmetic::add_scaled(const Real& a, long double factor, const Real& b) {
    if (b.is_zero() || a.is_zero() || same(std::abs(factor), 1) || multiplication_ == Multiplication::plain ||
        std::abs(factor) > ir::largest_of(type_.scalar))
        return add(a, multiply(b, factor));
    const ir::Value constant = builder_.constant(type_, std::abs(factor));
    const bool negative = b.negative != (factor < 0);
    if (negative == a.negative) return {builder_.fma(constant, b.value, a.value), a.negative};
    return {builder_.fnma(constant, b.value, a.value), a.negative};
}

Scaled Arithmetic::add(const Scaled& a, const Scaled& b) {
    if (a.re.is_zero() && a.im.is_zero()) return b;
    if (b.re.is_zero() && b.im.is_zero()) return a;
    if (same(a.scale, b.scale)) return {add(a.re, b.re), add(a.im, b.im), a.scale};
    // Keeps the trivial scale if there is one, so scales die out instead of accumulating.
    if (same(b.scale, 1) && !same(a.scale, 1))
        return {add_scaled(b.re, a.scale, a.re), add_scaled(b.im, a.scale, a.im), b.scale};
    const long double ratio = b.scale / a.scale;
    return {add_scaled(a.re, ratio, b.re), add_scaled(a.im, ratio, b.im), a.scale};
}

Scaled Arithmetic::rotate_plain(const Scaled& a, std::complex<long double> factor) {
    const long double c = factor.real(), s = factor.imag();
    if (same(std::abs(c), std::abs(s))) { // an odd multiple of 45°: two additions, two multiplications
        const Real re = (s > 0) == (c > 0) ? add(a.re, -a.im) : add(a.re, a.im);
        const Real im = (s > 0) == (c > 0) ? add(a.im, a.re) : add(a.im, -a.re);
        return {multiply(re, c), multiply(im, c), a.scale};
    }
    // Named temporaries fix the order of operations: compilers may evaluate arguments in any order.
    const Real re_c = multiply(a.re, c), im_s = multiply(a.im, -s);
    const Real im_c = multiply(a.im, c), re_s = multiply(a.re, s);
    return {add(re_c, im_s), add(im_c, re_s), a.scale};
}

Scaled Arithmetic::rotate_fused(const Scaled& a, std::complex<long double> factor) {
    const long double c = factor.real(), s = factor.imag();
    if (std::abs(c) >= std::abs(s) * (1 - rounding)) { // c·(1 + i·tan)
        const long double tangent = s / c;
        Scaled rotated{add_scaled(a.re, -tangent, a.im), add_scaled(a.im, tangent, a.re),
                       a.scale * std::abs(c)};
        return c < 0 ? negate(rotated) : rotated;
    }
    const long double cotangent = c / s; // i·s·(1 − i·cot)
    const Scaled rotated{add_scaled(a.re, cotangent, a.im), add_scaled(a.im, -cotangent, a.re),
                         a.scale * std::abs(s)};
    return multiply_by_i(s < 0 ? negate(rotated) : rotated);
}

Scaled Arithmetic::multiply(const Scaled& a, std::complex<long double> factor) {
    const long double c = factor.real(), s = factor.imag();
    const long double size = std::abs(c) + std::abs(s);
    if (size == 0 || (a.re.is_zero() && a.im.is_zero())) return {};
    if (std::abs(s) <= rounding * size || std::abs(c) <= rounding * size) {
        const bool is_imaginary = std::abs(c) < std::abs(s);
        const long double real_factor = is_imaginary ? s : c;
        Scaled result = multiplication_ == Multiplication::fused
                            ? Scaled{a.re, a.im, a.scale * std::abs(real_factor)}
                            : Scaled{multiply(a.re, std::abs(real_factor)),
                                     multiply(a.im, std::abs(real_factor)), a.scale};
        if (real_factor < 0) result = negate(result);
        return is_imaginary ? multiply_by_i(result) : result;
    }
    if (multiplication_ == Multiplication::fused) return rotate_fused(a, factor);
    if (!is_near_overflow(size, type_.scalar)) return rotate_plain(a, factor);
    Scaled result =
        multiply(a, factor / overflow_scale); // otherwise a product may overflow although the sum does not
    result.scale *= overflow_scale;
    return result;
}

Scaled Arithmetic::multiply_loaded(const Scaled& a, const Scaled& factor) {
    const Real re_re = multiply(a.re, factor.re), im_im = multiply(a.im, factor.im);
    const Real re_im = multiply(a.re, factor.im), im_re = multiply(a.im, factor.re);
    return {add(re_re, -im_im), add(re_im, im_re), a.scale * factor.scale};
}

Scaled Arithmetic::settle(const Scaled& a) {
    if (same(a.scale, 1)) return {a.re, a.im, 1};
    return {multiply(a.re, a.scale), multiply(a.im, a.scale), 1};
}

ir::Value Arithmetic::materialize(const Real& a) {
    if (a.is_zero()) return builder_.constant(type_, 0);
    return a.negative ? builder_.negate(a.value) : a.value;
}

} // namespace swirl::lower
