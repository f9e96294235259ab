// Identities of Kronecker products: Van Loan (1992), section 1.1; Johnson, Johnson, Rodríguez, Tolimieri (1990);
// the tutorial's eq. 16.
#include "rules/rewriting_rules.hpp"

#include <iterator>
#include <vector>

namespace swirl::rules {

using namespace formula;

namespace {

using RewriteRules = std::vector<RewriteRule>;

bool is_chain_of(const Match& m, const std::string& a, const std::string& b, std::size_t kind) {
    return m[a].payload().index() == kind || m[b].payload().index() == kind;
}

template <class Kind> std::size_t kind_index() { return Payload(Kind{}).index(); }

RewriteRules flattening() {
    return {
        {.name = "(A B) C → A B C",
         .match = product(any("A"), any("B")),
         .when = [](const Match& m) { return is_chain_of(m, "A", "B", kind_index<Product>()); },
         .rewrite = [](const Match& m) { return m["A"] * m["B"]; }},
        {.name = "(A ⊗ B) ⊗ C → A ⊗ B ⊗ C",
         .match = kron(any("A"), any("B")),
         .when = [](const Match& m) { return is_chain_of(m, "A", "B", kind_index<Kronecker>()); },
         .rewrite = [](const Match& m) { return kron(m["A"], m["B"]); }},
        {.name = "(A ⊕ B) ⊕ C → A ⊕ B ⊕ C",
         .match = direct_sum(any("A"), any("B")),
         .when = [](const Match& m) { return is_chain_of(m, "A", "B", kind_index<DirectSum>()); },
         .rewrite = [](const Match& m) { return direct_sum(m["A"], m["B"]); }},
    };
}

RewriteRules identities_dropped() {
    return {
        {.name = "I_m ⊗ I_n → I_mn",
         .match = kron(identity("m"), identity("n")),
         .rewrite = [](const Match& m) { return I(m.size("m") * m.size("n")); }},
        {.name = "I_1 ⊗ A → A",
         .match = kron(identity("n"), any("A")),
         .when = [](const Match& m) { return m.size("n") == 1; },
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "A ⊗ I_1 → A",
         .match = kron(any("A"), identity("n")),
         .when = [](const Match& m) { return m.size("n") == 1; },
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "I A → A",
         .match = product(identity("n"), any("A")),
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "A I → A",
         .match = product(any("A"), identity("n")),
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "I_m ⊕ I_n → I_{m+n}",
         .match = direct_sum(identity("m"), identity("n")),
         .rewrite = [](const Match& m) { return I(m.size("m") + m.size("n")); }},
        {.name = "L^n_1 → I_n",
         .match = term<Permutation>("P"),
         .when = [](const Match& m) { return m.payload<Permutation>("P").map.is_identity(); },
         .rewrite = [](const Match& m) { return I(m.size("P")); }},
    };
}

RewriteRules merging() {
    return {
        // includes L^mn_m L^mn_n → I_mn, where the composition is the identity
        {.name = "P_f P_g → P_{g∘f}",
         .match = product(term<Permutation>("P"), term<Permutation>("Q")),
         .rewrite = [](const Match& m) -> std::optional<Formula> {
             const auto map = try_compose(m.payload<Permutation>("Q").map, m.payload<Permutation>("P").map);
             return map ? std::optional(permutation(*map)) : std::nullopt;
         }},
        {.name = "(I_k ⊗ A)(I_k ⊗ B) → I_k ⊗ AB",
         .match = product(kron(identity("k"), any("A")), kron(identity("k"), any("B"))),
         .rewrite =
             [](const Match& m) {
                 return kron({m["k"], m["A"] * m["B"]});
             }},
        {.name = "(A ⊗ I_k)(B ⊗ I_k) → AB ⊗ I_k",
         .match = product(kron(any("A"), identity("k")), kron(any("B"), identity("k"))),
         .rewrite =
             [](const Match& m) {
                 return kron({m["A"] * m["B"], m["k"]});
             }},
        {.name = "(I_k ⊗ A) ⊕ A → I_{k+1} ⊗ A",
         .match = direct_sum(kron(identity("k"), any("A")), any("A")),
         .rewrite = [](const Match& m) { return kron(I(m.size("k") + 1), m["A"]); }},
        {.name = "A ⊕ A → I_2 ⊗ A",
         .match = direct_sum(any("A"), any("A")),
         .rewrite = [](const Match& m) { return kron(I(2), m["A"]); }},
    };
}

void append(RewriteRules& to, RewriteRules from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

std::span<const formula::RewriteRule> kronecker_identities() {
    static const auto& rules = *new RewriteRules([] { // never destroyed: may be in use at exit
        RewriteRules all = flattening();
        append(all, identities_dropped());
        append(all, merging());
        return all;
    }());
    return rules;
}

Formula simplify(const Formula& formula, RewriteTrace* trace) {
    return rewrite_to_fixpoint(formula, kronecker_identities(), trace);
}

} // namespace swirl::rules