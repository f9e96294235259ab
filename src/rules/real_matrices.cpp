// The real matrix R(A) of a complex A on interleaved pairs, pushed inwards: the bar operator of Franchetti,
// Voronenko, Püschel (2006, VECPAR), section 3.
#include "rules/rewrite_families.hpp"

namespace swirl::rules {

using namespace formula;

const RewriteRules& real_matrix_rules() {
    static const RewriteRules rules = {
        {.name = "R(A B) → R(A) R(B)",
         .match = term<RealOf>("", product(any("A"), any("B"))),
         .rewrite = [](const Match& m) { return real_of(m["A"]) * real_of(m["B"]); }},
        {.name = "R(I_n) → I_2n",
         .match = term<RealOf>("", identity("n")),
         .rewrite = [](const Match& m) { return I(2 * m.size("n")); }},
        {.name = "R(P) → P ⊗ I_2",
         .match = term<RealOf>("", term<Permutation>("P")),
         .rewrite = [](const Match& m) { return kron(m["P"], I(2)); }},
        {.name = "R(I_k ⊗ A) → I_k ⊗ R(A)",
         .match = term<RealOf>("", kron(identity("k"), any("A"))),
         .rewrite = [](const Match& m) { return kron(m["k"], real_of(m["A"])); }},
        // separates the components of pairs into planes of n: (a, n, 2) → (a, 2, n)
        {.name = "R(A ⊗ I_n) → (I ⊗ L^2n_n)(R(A) ⊗ I_n)(I ⊗ L^2n_2)",
         .match = term<RealOf>("", kron(any("A"), identity("n"))),
         .rewrite =
             [](const Match& m) {
                 const Integer n = m.size("n");
                 return kron(I(m["A"].rows()), L(2 * n, n)) * kron(real_of(m["A"]), I(n)) *
                        kron(I(m["A"].columns()), L(2 * n, 2));
             }},
        {.name = "R(A ⊕ B) → R(A) ⊕ R(B)",
         .match = term<RealOf>("", direct_sum(any("A"), any("B"))),
         .rewrite = [](const Match& m) { return direct_sum(real_of(m["A"]), real_of(m["B"])); }},
    };
    return rules;
}

} // namespace swirl::rules
