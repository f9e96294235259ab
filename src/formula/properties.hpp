#pragma once

#include "formula/formula.hpp"

#include <optional>

/// Questions about a formula that need no evaluation.
namespace swirl::formula {

/// The first leaf with complex entries; nothing if all are real. Diagonals of more than 65,536 roots of unity count as
/// complex.
std::optional<Formula> find_complex(const Formula& formula);

/// Whether some transform in it is implemented for real data alone: a real DFT, a cosine or sine transform, or the real
/// matrix of a complex one.
bool has_real_transform(const Formula& formula);

/// Entries of the longest vector that applying the formula factor by factor passes through; saturates.
Integer longest_vector(const Formula& formula);

} // namespace swirl::formula
