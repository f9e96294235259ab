#pragma once

#include "rules/rule.hpp"

#include <optional>

/// Formulas given by the user as problems.
namespace swirl::rules {

/// Whether rule "formula" applies: neither a transform nor a DFT of several dimensions.
bool is_given_formula(const Formula& formula);

/// The formula for kernels whose entries are real: its smallest DFTs and circulants as matrices, longer circulants as
/// convolutions of reals. Nothing if some term has complex entries.
std::optional<Formula> on_reals(const Formula& formula);

/// The factors that rule "formula" computes one after the other.
Formula simplified_formula(const Formula& given);

/// The real matrix of a formula, with the real transforms in it acting on each component alone:
///   R(A) → A ⊗ I_2 for a real A,  R(A B) → R(A) R(B),  R(A ⊕ B) → R(A) ⊕ R(B),  R(I ⊗ A ⊗ I) → I ⊗ R(A ⊗ I).
Formula componentwise(const Formula& complex);

} // namespace swirl::rules
