#pragma once

#include "lower/arithmetic.hpp"
#include "lower/context.hpp"

#include <span>

namespace swirl::lower {

/// Complex arithmetic on vectors whose lanes 2j and 2j+1 are the real and imaginary components of an element.
///
/// Here too a Scaled denotes scale·(re + i·im), but re and im are vectors of complex elements, at most one of them
/// nonzero: a rotation by i is propagated symbolically, like a sign. An addition that encounters one, and hence a
/// rotation by a constant, costs one exchange of neighbouring lanes and one fused multiply-add with a vector of
/// alternating signs.
class PairArithmetic : public Arithmetic {
public:
    /// `width` complex elements per vector.
    PairArithmetic(Context& context, int width)
        : Arithmetic(context.builder, ir::Type{context.request.loops.scalar, 2 * width},
                     Multiplication::fused),
          context_(context) {}

    using Arithmetic::add;
    using Arithmetic::multiply;
    Scaled add(const Scaled& a, const Scaled& b) override;
    /// Lane by lane; the factors absorb scale and rotation.
    Scaled multiply(const Scaled& a, std::span<const std::complex<long double>> factors);
    Scaled conjugate(const Scaled& a);
    /// The vector itself: applies scale, sign and rotation.
    ir::Value value(const Scaled& a);

protected:
    Scaled rotate_fused(const Scaled& a, std::complex<long double> factor) override;

private:
    Scaled add_imaginary(const Scaled& a, const Scaled& b);
    /// a + factor·i·b
    Real add_rotated(const Real& a, long double factor, const Real& b);
    ir::Value exchanged(ir::Value a); ///< swaps real and imaginary components
    ir::Value alternating(long double factor);

    Context& context_;
};

} // namespace swirl::lower
