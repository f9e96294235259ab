#pragma once

#include "formula/formula.hpp"

#include <string_view>

namespace swirl::formula {

/// Reads what to_text writes; white space is free. From the loosest operator to the tightest: ⊕, ·, and
/// ⊗ ⊗ᵥ ⊗∥ ⊗̄, which do not mix without parentheses. ASCII spellings: + for ⊕, * for ·, @ @v @p @l for the four
/// products, sum for Σ, Lv for Lᵥ, -> for →.
/// Throws UserError with the place and what was expected there.
Formula parse(std::string_view text);

} // namespace swirl::formula
