#pragma once

#include "ir/builder.hpp"

#include <complex>
#include <optional>

namespace swirl::lower {

/// A real quantity ±value; no value is an exact zero. Signs are propagated symbolically, never computed.
struct Real {
    ir::Value value = ir::no_value;
    bool negative = false;

    bool is_zero() const { return value == ir::no_value; }
    Real operator-() const { return {value, !negative}; }
    bool operator==(const Real&) const = default;
};

/// scale·(re + i·im) with scale > 0. With a separate scale a rotation costs two fused multiply-adds, and the next
/// addition absorbs the scale (Linzer and Feig 1993; Johnson and Frigo 2007 propagate scales the same way).
struct Scaled {
    Real re;
    Real im;
    long double scale = 1;
};

/// Power of two factored out of constants that would overflow, and multiplied in separately.
constexpr long double overflow_scale = 0x1p64L;
/// Whether a constant, multiplied by a small value, overflows the type or comes close to its maximum.
bool is_near_overflow(long double magnitude, DataType scalar);

/// How constants are multiplied in.
enum class Multiplication {
    plain, ///< four multiplications and two additions per rotation: the fewest operations without FMA
    fused, ///< lazily scaled: nearly every multiplication is half of an FMA
};

/// Complex arithmetic over a builder: folds zeros, units and powers of i, propagates signs and scales.
class Arithmetic {
public:
    Arithmetic(ir::Builder& builder, DataType scalar, Multiplication multiplication)
        : Arithmetic(builder, ir::Type{scalar, 1}, multiplication) {}
    virtual ~Arithmetic() = default;
    Arithmetic(const Arithmetic&) = delete;
    Arithmetic& operator=(const Arithmetic&) = delete;

    virtual Scaled add(const Scaled& a, const Scaled& b);
    Scaled subtract(const Scaled& a, const Scaled& b) { return add(a, negate(b)); }
    Scaled multiply(const Scaled& a, std::complex<long double> factor);
    /// a times a factor in registers, such as a twiddle factor loaded from a table.
    Scaled multiply_loaded(const Scaled& a, const Scaled& factor);
    static Scaled negate(const Scaled& a) { return {-a.re, -a.im, a.scale}; }
    static Scaled multiply_by_i(const Scaled& a) { return {-a.im, a.re, a.scale}; }

    /// The values themselves: applies scale and sign, materialises zeros as constants.
    Scaled settle(const Scaled& a);
    ir::Value materialize(const Real& a);

protected:
    Arithmetic(ir::Builder& builder, ir::Type type, Multiplication multiplication)
        : builder_(builder), type_(type), multiplication_(multiplication) {}

    virtual Scaled rotate_fused(const Scaled& a, std::complex<long double> factor);
    Real add(const Real& a, const Real& b);
    /// a + factor·b
    Real add_scaled(const Real& a, long double factor, const Real& b);
    Real multiply(const Real& a, long double factor);
    Real multiply(const Real& a, const Real& b);
    Scaled rotate_plain(const Scaled& a, std::complex<long double> factor);

    ir::Builder& builder_;
    ir::Type type_;
    Multiplication multiplication_;
};

} // namespace swirl::lower
