#pragma once

#include "plan/steps.hpp"

#include <optional>

/// Stages between reals and a half spectrum, whose entries are reals: how the numbers of the spectrum lie among them.
namespace swirl::planning {

/// Where the halfcomplex entries r_0 r_1 … i_2 i_1 lie among X_0 … X_{n/2} as pairs of reals.
formula::IndexMap places_in_pairs(Integer n);

/// Makes what is done to reals on a side of the stage be done to the numbers whose parts they are.
void add_half_spectrum(Stage& stage, std::size_t side, lower::Pointwise& pointwise, Integer n);

/// The stage with a step that has both parts of each number together, where something is done to these.
std::optional<Stage> by_numbers(const Stage& stage);

} // namespace swirl::planning
