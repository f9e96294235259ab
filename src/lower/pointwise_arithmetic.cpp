#include "lower/pointwise_arithmetic.hpp"

#include "base/error.hpp"
#include "lower/functions.hpp"

namespace swirl::lower {

using Op = loops::Pointwise::Op;

namespace {

/// Operations for `Functions`, emitted into a program.
class Emission {
public:
    using Value = ir::Value;

    Emission(ir::Builder& builder, ir::Type type) : builder_(builder), type_(type) {}

    Value constant(long double value) { return builder_.constant(type_, value); }
    Value add(Value a, Value b) { return builder_.add(a, b); }
    Value subtract(Value a, Value b) { return builder_.subtract(a, b); }
    Value multiply(Value a, Value b) { return builder_.multiply(a, b); }
    Value divide(Value a, Value b) { return builder_.divide(a, b); }
    Value fma(Value a, Value b, Value c) { return builder_.fma(a, b, c); }
    Value fms(Value a, Value b, Value c) { return builder_.fms(a, b, c); }
    Value fnma(Value a, Value b, Value c) { return builder_.fnma(a, b, c); }
    Value negate(Value a) { return builder_.negate(a); }
    Value magnitude(Value a) { return builder_.magnitude(a); }
    Value power_of_two(Value a) { return builder_.power_of_two(a); }
    Value less(Value a, Value b) { return builder_.less(a, b); }
    Value select(Value chooser, Value a, Value b) { return builder_.select(chooser, a, b); }

private:
    ir::Builder& builder_;
    ir::Type type_;
};

} // namespace

PointwiseArithmetic::ComplexValue PointwiseArithmetic::evaluate(
    const std::vector<loops::Pointwise::Node>& nodes, const ComplexValue& x, const Leaf& leaf) {
    const ir::Builder::StrictScope strict(builder_, true);
    std::vector<ComplexValue> known;
    for (const loops::Pointwise::Node& node : nodes) known.push_back(evaluate(node, x, known, leaf));
    ComplexValue result = known.back();
    if (x.im != ir::no_value && result.im == ir::no_value) result.im = constant(0);
    return result;
}

/// 1, or 0 if one of the two is NaN, which is neither below 1 nor above 0.
ir::Value PointwiseArithmetic::are_ordered(ir::Value a, ir::Value b) {
    const auto is_none = [&](ir::Value x) {
        const ir::Value not_below = opposite(as_real(builder_.less(x, constant(1))));
        return builder_.multiply(not_below, opposite(as_real(builder_.less(constant(0), x))));
    };
    const ir::Value first = opposite(is_none(a));
    return builder_.multiply(first, opposite(is_none(b)));
}

/// Comparisons of elements, as reals. NaN is unordered, as in C.
PointwiseArithmetic::ComplexValue PointwiseArithmetic::compared(const loops::Pointwise::Node& node,
                                                                const std::vector<ComplexValue>& known) {
    const auto real = [&](std::size_t k) { return known[static_cast<std::size_t>(node.operands[k])].re; };
    const ir::Builder::StrictScope foldable(builder_, false); // 0 and 1 have no special values
    switch (node.op) {
    case Op::less: {
        const ir::Value test = builder_.less(real(0), real(1));
        return {as_real(test), ir::no_value, test};
    }
    case Op::less_equal:
        return {builder_.multiply(opposite(as_real(builder_.less(real(1), real(0)))),
                                  are_ordered(real(0), real(1)))};
    case Op::equal: {
        const ir::Value first = opposite(as_real(builder_.less(real(1), real(0))));
        const ir::Value second = opposite(as_real(builder_.less(real(0), real(1))));
        return {builder_.multiply(builder_.multiply(first, second), are_ordered(real(0), real(1)))};
    }
    case Op::both: return {builder_.multiply(real(0), real(1))};
    case Op::either: {
        const ir::Value first = opposite(real(0));
        return {opposite(builder_.multiply(first, opposite(real(1))))};
    }
    default: return {opposite(real(0))};
    }
}

ir::Value PointwiseArithmetic::function(Op op, ir::Value x) {
    Emission emission(builder_, type_);
    Functions functions(emission, type_.scalar);
    switch (op) {
    case Op::magnitude: return builder_.magnitude(x);
    case Op::square_root: return builder_.square_root(x);
    case Op::exponential: return functions.exponential(x);
    case Op::tangent: return functions.tangent(x);
    case Op::sigmoid: return functions.sigmoid(x);
    case Op::gelu: return functions.gelu(x);
    default: throw InternalError("no function of one real");
    }
}

PointwiseArithmetic::ComplexValue PointwiseArithmetic::choose(const ComplexValue& chooser,
                                                              const ComplexValue& a, const ComplexValue& b) {
    const ir::Value holds =
        chooser.test != ir::no_value ? chooser.test : builder_.less(constant(0.5L), chooser.re);
    const bool complex = a.im != ir::no_value || b.im != ir::no_value;
    const auto or_zero = [&](ir::Value value) { return value == ir::no_value ? constant(0) : value; };
    ComplexValue result{builder_.select(holds, a.re, b.re), ir::no_value};
    if (!complex) return result;
    const ir::Value first = or_zero(a.im);
    result.im = builder_.select(holds, first, or_zero(b.im));
    return result;
}

PointwiseArithmetic::ComplexValue PointwiseArithmetic::evaluate(const loops::Pointwise::Node& node,
                                                                const ComplexValue& x,
                                                                const std::vector<ComplexValue>& known,
                                                                const Leaf& leaf) {
    const auto at = [&](std::size_t k) { return known[static_cast<std::size_t>(node.operands[k])]; };
    const auto none = ir::no_value;
    /// Either operand may lack the component.
    const auto sum = [&](ir::Value a, ir::Value b, bool minus) {
        if (a == none) return b == none || !minus ? b : builder_.negate(b);
        if (b == none) return a;
        return minus ? builder_.subtract(a, b) : builder_.add(a, b);
    };
    const auto product = [&](ir::Value a, ir::Value b) {
        return a == none || b == none ? none : builder_.multiply(a, b);
    };
    switch (node.op) {
    case Op::constant: return {constant(node.constant), none};
    case Op::x: return x;
    case Op::form:
    case Op::array:
    case Op::form_negative:
    case Op::form_nonnegative:
    case Op::form_zero: return leaf(node);
    case Op::add:
    case Op::subtract: {
        const bool minus = node.op == Op::subtract;
        const ir::Value re = sum(at(0).re, at(1).re, minus);
        return {re, sum(at(0).im, at(1).im, minus)};
    }
    case Op::multiply: {
        const ComplexValue a = at(0), b = at(1);
        const ir::Value rere = product(a.re, b.re), imim = product(a.im, b.im);
        const ir::Value re = sum(rere, imim, true);
        const ir::Value reim = product(a.re, b.im), imre = product(a.im, b.re);
        return {re, sum(reim, imre, false)};
    }
    case Op::divide: {
        const ir::Value re = builder_.divide(at(0).re, at(1).re);
        return {re, at(0).im == none ? none : builder_.divide(at(0).im, at(1).re)};
    }
    case Op::magnitude:
    case Op::square_root:
    case Op::exponential:
    case Op::tangent:
    case Op::sigmoid:
    case Op::gelu: return {function(node.op, at(0).re), none};
    case Op::negate: {
        const ir::Value re = builder_.negate(at(0).re);
        return {re, at(0).im == none ? none : builder_.negate(at(0).im)};
    }
    case Op::conj: return {at(0).re, at(0).im == none ? none : builder_.negate(at(0).im)};
    case Op::re: return {at(0).re, none};
    case Op::im: return {at(0).im == none ? constant(0) : at(0).im, none};
    case Op::complex: return {at(0).re, at(1).re};
    case Op::choose: return choose(at(0), at(1), at(2));
    default: return compared(node, known);
    }
}

} // namespace swirl::lower
