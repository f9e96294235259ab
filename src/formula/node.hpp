#pragma once

#include "formula/formula.hpp"

namespace swirl::formula {

/// Creates a node without checking shapes; all factories and parsers call it.
Formula make_node(Payload payload, std::vector<Formula> children, Shape shape);

/// The shape of a payload with these operands; throws InternalError naming the shapes if they do not fit.
Shape shape_of(const Payload& payload, const std::vector<Formula>& children);

} // namespace swirl::formula
