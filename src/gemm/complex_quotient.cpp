#include "gemm/complex_quotient.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <limits>

namespace swirl::gemm {

namespace {

using ir::Value;

/// Where to scale, and by which powers of two.
struct Scales {
    long double tiny, up, huge;
    static constexpr long double down = 0.25L;

    template <class R> static Scales of() {
        using Limits = std::numeric_limits<R>;
        constexpr long double epsilon = Limits::epsilon();
        return {Limits::min() / epsilon, 1 / (epsilon * epsilon), Limits::max() * down};
    }
    static Scales of(DataType scalar) {
        switch (scalar) {
        case DataType::float32: return of<float>();
        case DataType::float64: return of<double>();
        default: throw InternalError("complex quotients of {}", name_of(scalar));
        }
    }
};

class QuotientWriter {
public:
    QuotientWriter(ir::Builder& builder, ir::Type type)
        : builder_(builder), type_(type), scales_(Scales::of(type.scalar)) {}

    Components write(Components a, Components b) {
        const Value one = constant(1), zero = constant(0);
        const Value of_b = magnitude(b);
        const Value small =
            builder_.select(builder_.less(of_b, constant(scales_.tiny)), constant(scales_.up), one);
        scale_both(
            a, b,
            builder_.select(builder_.less(constant(scales_.huge), of_b), constant(Scales::down), small));
        const Value is_large = builder_.less(constant(scales_.huge), magnitude(a));
        scale(a, builder_.select(is_large, constant(Scales::down), one));

        const Value is_swapped = builder_.less(builder_.magnitude(b[0]), builder_.magnitude(b[1]));
        const Value larger = builder_.select(is_swapped, b[1], b[0]),
                    smaller = builder_.select(is_swapped, b[0], b[1]);
        const Value ratio =
            builder_.select(builder_.less(zero, of_b), builder_.divide(smaller, larger), zero);
        const Value divisor = builder_.add(larger, builder_.multiply(smaller, ratio));
        const Value u = builder_.select(is_swapped, a[1], a[0]), v = builder_.select(is_swapped, a[0], a[1]);
        const Value real = builder_.divide(builder_.add(u, builder_.multiply(v, ratio)), divisor);
        const Value other = builder_.divide(builder_.subtract(v, builder_.multiply(u, ratio)), divisor);
        Components result{real, builder_.select(is_swapped, builder_.negate(other), other)};
        scale(result, builder_.select(is_large, constant(1 / Scales::down), one));
        return result;
    }

private:
    Value constant(long double value) { return builder_.constant(type_, value); }
    /// The larger component's.
    Value magnitude(const Components& x) {
        const Value real = builder_.magnitude(x[0]), imaginary = builder_.magnitude(x[1]);
        return builder_.select(builder_.less(real, imaginary), imaginary, real);
    }
    void scale(Components& x, Value factor) {
        for (Value& component : x) component = builder_.multiply(component, factor);
    }
    void scale_both(Components& a, Components& b, Value factor) {
        scale(a, factor);
        scale(b, factor);
    }

    ir::Builder& builder_;
    ir::Type type_;
    Scales scales_;
};

} // namespace

Components quotient(ir::Builder& builder, const Components& a, const Components& b) {
    if (b[1] == ir::no_value) return {builder.divide(a[0], b[0]), ir::no_value};
    return QuotientWriter(builder, builder.type(b[0])).write(a, b);
}

} // namespace swirl::gemm
