#pragma once

#include "formula/formula.hpp"
#include "rules/cost.hpp"

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

/// Counts the real operations of a formula's straight-line program: evaluates it on symbols, with equal subexpressions
/// shared, signs moved out of operations, products of constants folded and unused results dropped. What a compiler of
/// formulas can do without algebra beyond that.
namespace swirl::rules {

class StraightLine {
public:
    /// ±node, or 0.
    struct Value {
        int node = zero;
        bool negative = false;
        auto operator<=>(const Value&) const = default;
    };
    struct ComplexValue {
        Value re, im;
    };
    using Vector = std::vector<ComplexValue>;

    ComplexValue input(bool complex) {
        return {{next_input(), false}, complex ? Value{next_input(), false} : Value{}};
    }
    Vector apply(const formula::Formula& f, const Vector& x);

    /// Operations that the given results need.
    OperationCount count(const Vector& results) const;

private:
    static constexpr int zero = -1;
    enum class Kind { input, add, multiply };
    struct Node {
        Kind kind;
        Value a, b;
        long double factor = 0;
    };

    int next_input() {
        nodes_.push_back({Kind::input, {}, {}});
        return static_cast<int>(nodes_.size()) - 1;
    }
    static Value negated(Value v) { return v.node == zero ? v : Value{v.node, !v.negative}; }
    Value add(Value a, Value b);
    Value scale(long double factor, Value a);
    ComplexValue scale(const formula::Complex& w, const ComplexValue& x);
    ComplexValue add(const ComplexValue& a, const ComplexValue& b) {
        return {add(a.re, b.re), add(a.im, b.im)};
    }
    int shared(const Node& node);

    Vector slice(const Vector& x, Integer base, Integer stride, Integer count) const;
    Vector matrix(const formula::Formula& f, const Vector& x);
    Vector kronecker(const std::vector<formula::Formula>& factors, Vector x);
    Vector direct_sum(const formula::Formula& f, const Vector& x);
    Vector real_form(const formula::Formula& child, const Vector& x);

    std::vector<Node> nodes_;
    std::map<std::tuple<int, Value, Value, long double>, int> known_;
};

inline int StraightLine::shared(const Node& node) {
    // Constants that differ by rounding alone are the same one.
    const long double rounded = std::round(node.factor * 0x1p60L);
    const auto [at, is_new] = known_.try_emplace({static_cast<int>(node.kind), node.a, node.b, rounded},
                                                 static_cast<int>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    return at->second;
}

inline StraightLine::Value StraightLine::add(Value a, Value b) {
    if (a.node == zero) return b;
    if (b.node == zero) return a;
    if (b.node < a.node) std::swap(a, b);
    const bool negative = a.negative;
    if (negative) a = negated(a), b = negated(b);
    if (a.node == b.node) return b.negative ? Value{} : scale(negative ? -2 : 2, a);
    return {shared({Kind::add, a, b}), negative};
}

inline StraightLine::Value StraightLine::scale(long double factor, Value a) {
    constexpr long double rounding = 0x1p-58L;
    if (a.node == zero || std::abs(factor) < rounding) return {};
    if (factor < 0 || a.negative) {
        const bool negative = (factor < 0) != a.negative;
        const Value positive = scale(std::abs(factor), {a.node, false});
        return negative ? negated(positive) : positive;
    }
    if (std::abs(factor - 1) < rounding) return a;
    if (const Node& node = nodes_[static_cast<std::size_t>(a.node)]; node.kind == Kind::multiply)
        return scale(factor * node.factor, node.a);
    return {shared({Kind::multiply, a, {}, factor}), false};
}

inline StraightLine::ComplexValue StraightLine::scale(const formula::Complex& w, const ComplexValue& x) {
    return {add(scale(w.real(), x.re), scale(-w.imag(), x.im)),
            add(scale(w.real(), x.im), scale(w.imag(), x.re))};
}

inline StraightLine::Vector StraightLine::slice(const Vector& x, Integer base, Integer stride,
                                                Integer count) const {
    Vector summand;
    for (Integer i = 0; i < count; ++i) summand.push_back(x[static_cast<std::size_t>(base + i * stride)]);
    return summand;
}

inline StraightLine::Vector StraightLine::matrix(const formula::Formula& f, const Vector& x) {
    const auto& entries = f.get_if<formula::Matrix>()->entries;
    Vector y;
    for (Integer i = 0; i < f.rows(); ++i) {
        ComplexValue sum;
        for (Integer j = 0; j < f.columns(); ++j)
            sum = add(sum, scale(entries[static_cast<std::size_t>(i * f.columns() + j)],
                                 x[static_cast<std::size_t>(j)]));
        y.push_back(sum);
    }
    return y;
}

inline StraightLine::Vector StraightLine::kronecker(const std::vector<formula::Formula>& factors, Vector x) {
    Integer left = 1, right = 1;
    for (const auto& factor : factors) left *= factor.columns();
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
        left /= factor->columns();
        if (!factor->is<formula::Identity>()) {
            Vector y(static_cast<std::size_t>(left * factor->rows() * right));
            for (Integer i = 0; i < left; ++i)
                for (Integer j = 0; j < right; ++j) {
                    const Vector summand =
                        apply(*factor, slice(x, i * factor->columns() * right + j, right, factor->columns()));
                    for (Integer r = 0; r < factor->rows(); ++r)
                        y[static_cast<std::size_t>((i * factor->rows() + r) * right + j)] =
                            summand[static_cast<std::size_t>(r)];
                }
            x = std::move(y);
        }
        right *= factor->rows();
    }
    return x;
}

inline StraightLine::Vector StraightLine::direct_sum(const formula::Formula& f, const Vector& x) {
    Vector y;
    Integer at = 0;
    for (const auto& child : f.children()) {
        const Vector summand = apply(child, slice(x, at, 1, child.columns()));
        y.insert(y.end(), summand.begin(), summand.end());
        at += child.columns();
    }
    return y;
}

inline StraightLine::Vector StraightLine::real_form(const formula::Formula& child, const Vector& x) {
    Vector re, im;
    for (std::size_t i = 0; i < x.size(); i += 2) {
        re.push_back({x[i].re, x[i + 1].re});
        im.push_back({x[i].im, x[i + 1].im});
    }
    re = apply(child, re);
    im = apply(child, im);
    Vector y;
    for (std::size_t i = 0; i < re.size(); ++i) {
        y.push_back({re[i].re, im[i].re});
        y.push_back({re[i].im, im[i].im});
    }
    return y;
}

inline StraightLine::Vector StraightLine::apply(const formula::Formula& f, const Vector& x) {
    using namespace formula;
    if (f.is<Identity>()) return x;
    Vector y(static_cast<std::size_t>(f.rows()));
    const auto gathered = [&](const IndexMap& map) {
        for (Integer i = 0; i < map.domain(); ++i)
            y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(map(i))];
        return y;
    };
    if (const auto* p = f.get_if<Permutation>()) return gathered(p->map);
    if (const auto* p = f.get_if<Gather>()) return gathered(p->map);
    if (const auto* p = f.get_if<Scatter>()) {
        for (Integer i = 0; i < p->map.domain(); ++i)
            y[static_cast<std::size_t>(p->map(i))] = x[static_cast<std::size_t>(i)];
        return y;
    }
    if (const auto* p = f.get_if<Diagonal>()) {
        for (Integer i = 0; i < f.rows(); ++i)
            y[static_cast<std::size_t>(i)] =
                scale(diagonal_value(p->function, p->index(i)), x[static_cast<std::size_t>(i)]);
        return y;
    }
    if (f.is<Matrix>()) return matrix(f, x);
    if (f.is<Kronecker>()) return kronecker(f.children(), x);
    if (f.is<DirectSum>()) return direct_sum(f, x);
    if (f.is<RealOf>()) return real_form(f.children().front(), x);
    if (f.is<Tagged>()) return apply(f.children().front(), x);
    ensure(f.is<Product>(), "a term that is not terminal");
    Vector result = x;
    for (auto factor = f.children().rbegin(); factor != f.children().rend(); ++factor)
        result = apply(*factor, result);
    return result;
}

inline OperationCount StraightLine::count(const Vector& results) const {
    OperationCount total;
    std::set<int> seen{zero};
    std::vector<int> open;
    for (const ComplexValue& result : results) open.insert(open.end(), {result.re.node, result.im.node});
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        const Node& node = nodes_[static_cast<std::size_t>(at)];
        if (node.kind == Kind::input) continue;
        ++(node.kind == Kind::add ? total.additions : total.multiplications);
        open.insert(open.end(), {node.a.node, node.b.node});
    }
    return total;
}

/// Operations of an expanded transform; a real one is given real input.
inline OperationCount operations(const formula::Formula& expanded, bool complex) {
    StraightLine program;
    StraightLine::Vector x;
    for (Integer i = 0; i < expanded.columns(); ++i) x.push_back(program.input(complex));
    return program.count(program.apply(expanded, x));
}

} // namespace swirl::rules
