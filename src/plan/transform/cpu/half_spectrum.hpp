#pragma once

#include "plan/transform/dimension_passes.hpp"

#include <optional>

/// Passes between reals and a half spectrum, whose entries are real: positions of the spectrum's components among them.
namespace swirl::planning {

/// Makes a callback on a side of real entries apply to the complex elements whose components they are.
void add_half_spectrum(DimensionPass& pass, std::size_t side, loops::Pointwise& pointwise, Integer n);

/// If the pass has such a callback beside a real transform: the pass with a formula that pairs the components of each
/// element on that side.
std::optional<DimensionPass> by_complex_entries(const DimensionPass& pass);

} // namespace swirl::planning
