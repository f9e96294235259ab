#pragma once

#include "formula/rewrite.hpp"

#include <span>

/// Rewrite rules: identities. For breakdown rules, which involve choices, see rule.hpp.
namespace swirl::rules {

using formula::Formula;

/// Identities of Kronecker products, products and direct sums that leave fewer and simpler terms, in order of
/// precedence.
std::span<const formula::RewriteRule> kronecker_identities();

/// These identities until none applies: drops identity matrices, flattens products, composes permutations.
Formula simplify(const Formula& formula, formula::RewriteTrace* trace = nullptr);

} // namespace swirl::rules
