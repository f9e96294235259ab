#pragma once

#include "base/error.hpp"
#include "lower/functions.hpp"
#include "plan/gemm/cpu/lowered_expression.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <vector>

/// Evaluates expressions on elements in memory, without generated machine code.
namespace swirl::planning {

/// Elements of a column evaluated at once.
constexpr Integer evaluation_block = 64;

/// An expression in one execution.
struct ExpressionCall {
    const LoweredExpression* expression = nullptr;
    const void* const* arrays = nullptr; ///< in the order of given_arrays_of
    Integer matrix = 0;                  ///< of the batch
    Integer row = 0;                     ///< first row and column of the current region of C
    Integer column = 0;

    const gemm::Epilogue& code() const { return expression->code(); }
    const void* operand(std::size_t index, Integer in_row, Integer in_column) const {
        return expression->operand_address(index, arrays, matrix, row + in_row, column + in_column);
    }
};

/// Values of a node; real values leave `im` unset. Rounding is the same as in the generated tiles.
template <class R> struct Values {
    std::array<R, evaluation_block> re;
    std::array<R, evaluation_block> im;
    bool is_complex;
};

namespace evaluation {

using loops::Pointwise;
using Op = Pointwise::Op;

/// The arithmetic from which lower::Functions builds functions, on the host.
template <class R> struct HostArithmetic {
    using Value = R;

    R constant(long double value) { return static_cast<R>(value); }
    R add(R a, R b) { return a + b; }
    R subtract(R a, R b) { return a - b; }
    R multiply(R a, R b) { return a * b; }
    R divide(R a, R b) { return a / b; }
    R fma(R a, R b, R c) { return std::fma(a, b, c); }
    R fms(R a, R b, R c) { return std::fma(a, b, -c); }
    R fnma(R a, R b, R c) { return std::fma(-a, b, c); }
    R negate(R a) { return -a; }
    R magnitude(R a) { return std::fabs(a); }
    R power_of_two(R a) { return std::isnan(a) ? a : std::ldexp(R(1), static_cast<int>(a)); }
    bool less(R a, R b) { return a < b; }
    R select(bool chooser, R a, R b) { return chooser ? a : b; }
};

template <class R> R function(Op op, R x) {
    HostArithmetic<R> arithmetic;
    lower::Functions functions(arithmetic, sizeof(R) == 8 ? DataType::float64 : DataType::float32);
    switch (op) {
    case Op::magnitude: return std::fabs(x);
    case Op::square_root: return std::sqrt(x);
    case Op::exponential: return functions.exponential(x);
    case Op::tangent: return functions.tangent(x);
    case Op::sigmoid: return functions.sigmoid(x);
    case Op::gelu: return functions.gelu(x);
    default: throw InternalError("no function of one real");
    }
}

} // namespace evaluation

/// Evaluates the nodes of an expression for several elements at once. R: the real type of the arithmetic.
template <class R> class NodeEvaluation {
    using Op = loops::Pointwise::Op;

public:
    /// `leaf(node, values)` sets the values of x, of elements of arrays, of forms and of conditions on forms, for
    /// `count` elements, at most evaluation_block.
    template <class Leaf>
    const Values<R>& evaluate(const std::vector<loops::Pointwise::Node>& nodes, Integer count, Leaf&& leaf) {
        count_ = static_cast<std::size_t>(count);
        known_.resize(nodes.size());
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (is_leaf(nodes[k].op))
                leaf(nodes[k], known_[k]);
            else
                apply(nodes[k], known_[k]);
        return known_.back();
    }

private:
    static bool is_leaf(Op op) {
        return op == Op::x || op == Op::array || op == Op::form || op == Op::form_negative ||
               op == Op::form_nonnegative || op == Op::form_zero;
    }

    template <class F> void fill(std::array<R, evaluation_block>& values, F&& f) {
        for (std::size_t at = 0; at < count_; ++at) values[at] = f(at);
    }

    void add(Values<R>& to, const Values<R>& a, const Values<R>& b, bool minus) {
        const auto sum = [&](std::array<R, evaluation_block>& components, const auto& x, const auto& y,
                             bool has_x, bool has_y) {
            fill(components, [&](std::size_t at) {
                const R second = has_y ? (minus ? -y[at] : y[at]) : R(0);
                return !has_x ? second : has_y ? x[at] + second : x[at];
            });
        };
        to.is_complex = a.is_complex || b.is_complex;
        sum(to.re, a.re, b.re, true, true);
        if (to.is_complex) sum(to.im, a.im, b.im, a.is_complex, b.is_complex);
    }

    void multiply(Values<R>& to, const Values<R>& a, const Values<R>& b) {
        to.is_complex = a.is_complex || b.is_complex;
        const bool both = a.is_complex && b.is_complex;
        fill(to.re, [&](std::size_t at) {
            const R real = a.re[at] * b.re[at];
            return both ? real - a.im[at] * b.im[at] : real;
        });
        if (!to.is_complex) return;
        fill(to.im, [&](std::size_t at) {
            if (!a.is_complex) return a.re[at] * b.im[at];
            if (!b.is_complex) return a.im[at] * b.re[at];
            return a.re[at] * b.im[at] + a.im[at] * b.re[at];
        });
    }

    void divide(Values<R>& to, const Values<R>& a, const Values<R>& b) {
        to.is_complex = a.is_complex;
        fill(to.re, [&](std::size_t at) { return a.re[at] / b.re[at]; });
        if (to.is_complex) fill(to.im, [&](std::size_t at) { return a.im[at] / b.re[at]; });
    }

    void choose(Values<R>& to, const Values<R>& chooser, const Values<R>& a, const Values<R>& b) {
        to.is_complex = a.is_complex || b.is_complex;
        const auto chosen = [&](std::size_t at) -> const Values<R>& {
            return chooser.re[at] > R(0.5) ? a : b;
        };
        fill(to.re, [&](std::size_t at) { return chosen(at).re[at]; });
        if (to.is_complex)
            fill(to.im, [&](std::size_t at) { return chosen(at).is_complex ? chosen(at).im[at] : R(0); });
    }

    void apply(const loops::Pointwise::Node& node, Values<R>& to) {
        const auto operand = [&](std::size_t k) -> const Values<R>& {
            return known_[static_cast<std::size_t>(node.operands[k])];
        };
        switch (node.op) {
        case Op::magnitude: {
            const Values<R>& a = operand(0);
            to.is_complex = false;
            return fill(to.re, [&](std::size_t at) { return std::fabs(a.re[at]); });
        }
        case Op::add:
        case Op::subtract: return add(to, operand(0), operand(1), node.op == Op::subtract);
        case Op::multiply: return multiply(to, operand(0), operand(1));
        case Op::divide: return divide(to, operand(0), operand(1));
        case Op::choose: return choose(to, operand(0), operand(1), operand(2));
        case Op::negate:
        case Op::conj: {
            const Values<R>& a = operand(0);
            const R sign = node.op == Op::negate ? R(-1) : R(1);
            fill(to.re, [&](std::size_t at) { return sign * a.re[at]; });
            to.is_complex = a.is_complex;
            if (a.is_complex) fill(to.im, [&](std::size_t at) { return -a.im[at]; });
            return;
        }
        case Op::complex: {
            const Values<R>&re = operand(0), &im = operand(1);
            to.re = re.re;
            to.im = im.re;
            to.is_complex = true;
            return;
        }
        default: to.is_complex = false; fill(to.re, [&](std::size_t at) { return real(node, at); });
        }
    }

    /// Nodes with a real result.
    R real(const loops::Pointwise::Node& node, std::size_t at) const {
        const auto value = [&](std::size_t k) -> const Values<R>& {
            return known_[static_cast<std::size_t>(node.operands[k])];
        };
        const auto re = [&](std::size_t k) { return value(k).re[at]; };
        const auto indicator = [](bool holds) { return holds ? R(1) : R(0); };
        switch (node.op) {
        case Op::constant: return static_cast<R>(node.constant);
        case Op::magnitude:
        case Op::square_root:
        case Op::exponential:
        case Op::tangent:
        case Op::sigmoid:
        case Op::gelu: return evaluation::function(node.op, re(0));
        case Op::re: return re(0);
        case Op::im: return value(0).is_complex ? value(0).im[at] : R(0);
        case Op::less: return indicator(re(0) < re(1));
        case Op::less_equal: return indicator(re(0) <= re(1));
        case Op::equal: return indicator(re(0) <= re(1) && re(1) <= re(0));
        case Op::both: return re(0) * re(1);
        case Op::either: return R(1) - (R(1) - re(0)) * (R(1) - re(1));
        case Op::opposite: return R(1) - re(0);
        default: throw InternalError("a node without a real value");
        }
    }

    std::vector<Values<R>> known_;
    std::size_t count_ = 0;
};

/// An expression on a column of a matrix. Call: has code() and operand() as ExpressionCall has.
template <class R, class Call = ExpressionCall> class ExpressionEvaluation {
    using Op = loops::Pointwise::Op;

public:
    explicit ExpressionEvaluation(const Call& call) : call_(call) {}

    /// Evaluates `count` elements x of a column, at most evaluation_block, from this row on, starting at `from`.
    template <class S>
    const Values<R>& evaluate(const S* from, Integer stride, Integer row, Integer column, Integer count) {
        return nodes_.evaluate(
            call_.code().nodes, count, [&](const loops::Pointwise::Node& node, Values<R>& values) {
                if (node.op == Op::x) return load(values, from, stride, count);
                ensure(node.op == Op::array, "an epilogue with forms");
                load_operand(values, static_cast<std::size_t>(node.array), row, column, count);
            });
    }

private:
    template <class S> void load(Values<R>& values, const S* from, Integer stride, Integer count) {
        values.is_complex = sizeof(S) != sizeof(R);
        for (Integer at = 0; at < count; ++at) {
            const S element = from[at * stride];
            const auto k = static_cast<std::size_t>(at);
            if constexpr (sizeof(S) == sizeof(R)) {
                values.re[k] = static_cast<R>(element);
            } else {
                values.re[k] = element.real();
                values.im[k] = element.imag();
            }
        }
    }

    void load_operand(Values<R>& values, std::size_t operand, Integer row, Integer column, Integer count) {
        const gemm::Epilogue::Operand& known = call_.code().operands[operand];
        const void* const from = call_.operand(operand, row, column);
        if (known.is_complex)
            load(values, static_cast<const std::complex<R>*>(from), known.row_stride, count);
        else
            load(values, static_cast<const R*>(from), known.row_stride, count);
    }

    Call call_;
    NodeEvaluation<R> nodes_;
};

} // namespace swirl::planning
