#pragma once

#include "formula/formula.hpp"

namespace swirl::formula {

/// A node as given, shapes unchecked; factories and parsers end here.
Formula make_node(Payload payload, std::vector<Formula> children, Shape shape);

/// The shape that a payload with operands gives; throws InternalError naming the shapes where they do not fit.
Shape shape_of(const Payload& payload, const std::vector<Formula>& children);

} // namespace swirl::formula
