#pragma once

#include "distributed/local_factor.hpp"
#include "formula/rewrite_trace.hpp"

#include <string>

namespace swirl::distributed {

/// How rewriting turns a transform into factors that each rank computes by itself, with permutations between them (Bonelli,
/// Franchetti, Lorenz, Püschel, Ueberhuber 2006).
struct Derivation {
    formula::Formula
        transform; ///< S(output boxes) after, G(input boxes) before: on the arrays of all ranks, one after the other
    formula::RewriteTrace trace;
    formula::Formula
        result; ///< rank(0)[…] ⊕ rank(1)[…] ⊕ …, exchange[…], rank(0)[…] ⊕ …, applied from right to left
};

/// G(D): from the whole array, its axes as numbered, to the arrays of all ranks, one after the other; its transpose is S(D).
formula::Formula gather_boxes(const Decomposition& decomposition, const std::vector<Integer>& lengths);

Derivation derive(const Factors& factors, const Schedule& schedule, const std::vector<StageBoxes>& boxes,
                  const Decomposition& output);

/// The transform, each step's rule, and the result, with long lists abbreviated.
std::string to_text(const Derivation& derivation);

} // namespace swirl::distributed
