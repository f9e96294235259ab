#pragma once

#include "formula/rewrite.hpp"

#include <span>
#include <string_view>

/// Rewrite rules: identities. For breakdown rules, which involve choices, see rule.hpp.
namespace swirl::rules {

using formula::Formula;

/// Related rules, in order of precedence.
struct RewriteFamily {
    std::string_view name;
    std::string_view purpose;
    std::span<const formula::RewriteRule> rules;
    bool terminates; ///< false: identities to apply singly; repeating them would cycle
};

/// All families, including the ones below.
std::span<const RewriteFamily> rewrite_families();

/// Fewer and simpler terms: drops identities, flattens products, composes permutations.
Formula simplify(const Formula& formula, formula::RewriteTrace* trace = nullptr);

/// The formula for vectors of ν lanes. Terms that cannot be vectorised keep their tag vec(ν).
Formula vectorize(const Formula& formula, Integer lanes, formula::RewriteTrace* trace = nullptr);
/// Whether a formula consists only of arithmetic on whole vectors, moves of whole vectors and ν×ν transpositions in
/// registers (Franchetti, Voronenko, Püschel 2006, VECPAR). True for every formula if ν = 1.
bool is_fully_vectorized(const Formula& formula, Integer lanes);

/// The formula for p processors that share no cache line of μ elements (no false sharing). Terms that cannot be
/// parallelised keep their tag smp(p, μ). Vectorise afterwards.
Formula parallelize(const Formula& formula, Integer processors, Integer line,
                    formula::RewriteTrace* trace = nullptr);
/// Whether a formula consists only of p equal shares on whole cache lines and moves of whole cache lines: balanced and
/// free of false sharing (Franchetti, Voronenko, Püschel 2006, SC, definition 1). True for every formula if p = 1.
bool is_fully_parallel(const Formula& formula, Integer processors, Integer line);

/// Σ-SPL: Kronecker products with identities as iterative sums, with permutations and diagonals folded into their
/// gathers and scatters (Franchetti, Voronenko, Püschel 2005).
Formula merge_loops(const Formula& formula, formula::RewriteTrace* trace = nullptr);

} // namespace swirl::rules
