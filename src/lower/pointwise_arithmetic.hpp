#pragma once

#include "ir/builder.hpp"
#include "lower/pointwise.hpp"

#include <functional>
#include <vector>

namespace swirl::lower {

/// Emits straight-line code over numbers, each value a vector of some lanes.
class PointwiseArithmetic {
public:
    PointwiseArithmetic(ir::Builder& builder, ir::Type type) : builder_(builder), type_(type) {}

    struct Number {
        ir::Value re = ir::no_value;
        ir::Value im = ir::no_value;   ///< none of a real
        ir::Value test = ir::no_value; ///< of a condition that is a comparison: the boolean
    };
    /// Nodes that depend on a place: elements of arrays, forms, conditions on forms.
    using Leaf = std::function<Number(const Pointwise::Node& node)>;

    /// The last node, complex where x is.
    Number evaluate(const std::vector<Pointwise::Node>& nodes, const Number& x, const Leaf& leaf);

    ir::Value number(long double value) { return builder_.constant(type_, value); }
    Number zero(bool complex) { return {number(0), complex ? number(0) : ir::no_value}; }
    ir::Value as_real(ir::Value boolean) { return builder_.select(boolean, number(1), number(0)); }
    ir::Value opposite(ir::Value a) { return builder_.subtract(number(1), a); }

private:
    Number evaluate(const Pointwise::Node& node, const Number& x, const std::vector<Number>& known,
                    const Leaf& leaf);
    ir::Value function(Pointwise::Op op, ir::Value x);
    Number choose(const Number& chooser, const Number& a, const Number& b);
    Number compared(const Pointwise::Node& node, const std::vector<Number>& known);

    ir::Builder& builder_;
    ir::Type type_;
};

} // namespace swirl::lower
