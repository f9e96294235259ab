#pragma once

#include "formula/formula.hpp"

#include <string>

namespace swirl::formula {

/// One line that `parse` reads back to an equal term, e.g. "(DFT(4) ⊗ I(2)) · T(8, 2) · (I(4) ⊗ DFT(2)) · L(8, 4)".
std::string to_text(const Formula& formula);
std::string to_text(const IndexMap& map);
/// For human readers: abbreviates long lists of values to the first few and their length. Cannot be parsed.
std::string to_short_text(const Formula& formula);
/// A complex value, as short as long double precision allows: "0.5", "1-2i", "3i".
std::string to_text(const Complex& value);

std::string to_text(Ends ends);
/// The ends of a filter, or which outputs are kept if these are not as many as samples.
std::string text_of_ends(const FirFilter& filter);

/// For a LaTeX formula environment (amsmath); cannot be parsed.
std::string to_latex(const Formula& formula);

} // namespace swirl::formula
