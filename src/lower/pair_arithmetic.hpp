#pragma once

#include "lower/arithmetic.hpp"
#include "lower/context.hpp"

#include <span>

namespace swirl::lower {

/// Complex arithmetic on vectors whose lanes 2j and 2j+1 are the real and the imaginary part of a number.
///
/// A Scaled stands for scale·(re + i·im) here too, but re and im are vectors of complex numbers, of which at most one is
/// not zero: a quarter turn is carried like a sign. An addition that meets one, and so a rotation by a constant, is one
/// exchange of neighbouring lanes and one fused multiply-add with a vector of alternating signs.
class PairArithmetic : public Arithmetic {
public:
    /// `width` complex numbers a vector.
    PairArithmetic(Context& context, int width)
        : Arithmetic(context.builder, ir::Type{context.request.scalar, 2 * width}, Multiplication::fused),
          context_(context) {}

    using Arithmetic::add;
    using Arithmetic::multiply;
    Scaled add(const Scaled& a, const Scaled& b) override;
    /// Lane by lane.
    Scaled multiply(const Scaled& a, std::span<const std::complex<long double>> factors);
    /// The vector itself: scale, sign and turn applied.
    ir::Value value(const Scaled& a);

protected:
    Scaled rotate_fused(const Scaled& a, std::complex<long double> factor) override;

private:
    Scaled add_turn(const Scaled& a, const Scaled& b);
    /// a + factor·i·b
    Real add_turned(const Real& a, long double factor, const Real& b);
    ir::Value exchanged(ir::Value a); ///< real parts and imaginary parts
    ir::Value alternating(long double factor);

    Context& context_;
};

} // namespace swirl::lower
