#pragma once

#include "ir/builder.hpp"
#include "loops/pointwise.hpp"

#include <functional>
#include <vector>

namespace swirl::lower {

/// Emits straight-line code over elements; each value is a vector. Its arithmetic is strict (ir::Operation::strict).
class PointwiseArithmetic {
public:
    PointwiseArithmetic(ir::Builder& builder, ir::Type type) : builder_(builder), type_(type) {}

    struct ComplexValue {
        ir::Value re = ir::no_value;
        ir::Value im = ir::no_value;   ///< absent for a real
        ir::Value test = ir::no_value; ///< for a comparison: the boolean
    };
    /// Nodes that depend on a location: elements of arrays, forms, conditions on forms.
    using Leaf = std::function<ComplexValue(const loops::Pointwise::Node& node)>;

    /// The value of the last node, complex if x is.
    ComplexValue evaluate(const std::vector<loops::Pointwise::Node>& nodes, const ComplexValue& x,
                          const Leaf& leaf);

    ir::Value constant(long double value) { return builder_.constant(type_, value); }
    ComplexValue zero(bool complex) { return {constant(0), complex ? constant(0) : ir::no_value}; }
    ir::Value as_real(ir::Value boolean) { return builder_.select(boolean, constant(1), constant(0)); }
    ir::Value opposite(ir::Value a) { return builder_.subtract(constant(1), a); }

    /// One node, whose operands are among the values of the nodes before it.
    ComplexValue evaluate(const loops::Pointwise::Node& node, const ComplexValue& x,
                          const std::vector<ComplexValue>& known, const Leaf& leaf);
    ComplexValue choose(const ComplexValue& chooser, const ComplexValue& a, const ComplexValue& b);

private:
    ir::Value function(loops::Pointwise::Op op, ir::Value x);
    ir::Value are_ordered(ir::Value a, ir::Value b);
    ComplexValue compared(const loops::Pointwise::Node& node, const std::vector<ComplexValue>& known);

    ir::Builder& builder_;
    ir::Type type_;
};

} // namespace swirl::lower
