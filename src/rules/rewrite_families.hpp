#pragma once

#include "formula/rewrite.hpp"

#include <vector>

/// The rules of each family, for the registry and the drivers in rewriting_rules.cpp; one file per family.
namespace swirl::rules {

using RewriteRules = std::vector<formula::RewriteRule>;

const RewriteRules& kronecker_identities(); ///< simplifications, applied to a fixpoint
const RewriteRules& reshaping_identities(); ///< applied one step at a time
const RewriteRules& real_matrix_rules();
const RewriteRules& vectorization_rules();
const RewriteRules& parallelization_rules();
const RewriteRules& loop_merging_rules();

} // namespace swirl::rules
