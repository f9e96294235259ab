#pragma once

#include "formula/formula.hpp"

#include <functional>
#include <optional>

namespace swirl::rules {

/// The formula with leaves replaced where `replacement` has another term of the same shape. Products stay flat.
formula::Formula replace_leaves(
    const formula::Formula& formula,
    const std::function<std::optional<formula::Formula>(const formula::Formula& leaf)>& replacement);

} // namespace swirl::rules
