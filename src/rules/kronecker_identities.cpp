// Identities of Kronecker products: Van Loan (1992), section 1.1; Johnson, Johnson, Rodríguez, Tolimieri (1990);
// the tutorial's eq. 16.
#include "rules/rewrite_families.hpp"
#include "rules/terms.hpp"

namespace swirl::rules {

using namespace formula;

namespace {

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

/// The least divisor of n greater than 1.
Integer least_factor(Integer n) {
    for (Integer k = 2; k * k <= n; ++k)
        if (n % k == 0) return k;
    return n;
}

RewriteRules commutations() {
    return {
        {.name = "A_m ⊗ I_n → L^mn_m (I_n ⊗ A_m) L^mn_n",
         .match = kron(any("A"), identity("n")),
         .when = [](const Match& m) { return !m["A"].is<Identity>(); },
         .rewrite =
             [](const Match& m) {
                 const Integer n = m.size("n"), rows = m["A"].rows(), columns = m["A"].columns();
                 return L(rows * n, rows) * kron(I(n), m["A"]) * L(columns * n, n);
             }},
        {.name = "I_m ⊗ A_n → L^mn_m (A_n ⊗ I_m) L^mn_n",
         .match = kron(identity("m"), any("A")),
         .when = [](const Match& m) { return !m["A"].is<Identity>(); },
         .rewrite =
             [](const Match& m) {
                 const Integer n = m.size("m"), rows = m["A"].rows(), columns = m["A"].columns();
                 return L(rows * n, n) * kron(m["A"], I(n)) * L(columns * n, columns);
             }},
        {.name = "A_m ⊗ B_n → L^mn_m (B_n ⊗ A_m) L^mn_n",
         .match = kron(any("A"), any("B")),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 const auto [a, b] = std::pair(m["A"].shape(), m["B"].shape());
                 return L(a.rows * b.rows, a.rows) * kron(m["B"], m["A"]) *
                        L(a.columns * b.columns, b.columns);
             }},
    };
}

RewriteRules splittings() {
    return {
        {.name = "A ⊗ B → (A ⊗ I)(I ⊗ B)",
         .match = kron(any("A"), any("B")),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 return kron(m["A"], I(m["B"].rows())) * kron(I(m["A"].columns()), m["B"]);
             }},
        {.name = "A ⊗ B → (I ⊗ B)(A ⊗ I)",
         .match = kron(any("A"), any("B")),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 return kron(I(m["A"].rows()), m["B"]) * kron(m["A"], I(m["B"].columns()));
             }},
        {.name = "(A ⊗ B)(C ⊗ D) → AC ⊗ BD",
         .match = product(kron(any("A"), any("B")), kron(any("C"), any("D"))),
         .when =
             [](const Match& m) {
                 return m["A"].columns() == m["C"].rows() && m["B"].columns() == m["D"].rows();
             },
         .rewrite = [](const Match& m) { return kron(m["A"] * m["C"], m["B"] * m["D"]); }},
        {.name = "I_kn → I_k ⊗ I_n",
         .match = identity("n"),
         .when = [](const Match& m) { return least_factor(m.size("n")) < m.size("n"); },
         .rewrite =
             [](const Match& m) {
                 const Integer k = least_factor(m.size("n"));
                 return kron(I(k), I(m.size("n") / k));
             }},
        {.name = "L^kmn_n → (L^kn_n ⊗ I_m)(I_k ⊗ L^mn_n)",
         .match = term<Permutation>("L"),
         .when =
             [](const Match& m) {
                 const auto sizes = stride_sizes(m["L"]);
                 return sizes && least_factor(sizes->second) < sizes->second;
             },
         .rewrite =
             [](const Match& m) {
                 const auto [n, km] = *stride_sizes(m["L"]);
                 const Integer k = least_factor(km), rest = km / k;
                 return kron(L(k * n, n), I(rest)) * kron(I(k), L(rest * n, n));
             }},
        {.name = "L^kmn_km → (I_k ⊗ L^mn_m)(L^kn_k ⊗ I_m)",
         .match = term<Permutation>("L"),
         .when =
             [](const Match& m) {
                 const auto sizes = stride_sizes(m["L"]);
                 return sizes && least_factor(sizes->first) < sizes->first;
             },
         .rewrite =
             [](const Match& m) {
                 const auto [km, n] = *stride_sizes(m["L"]);
                 const Integer k = least_factor(km), rest = km / k;
                 return kron(I(k), L(rest * n, rest)) * kron(L(k * n, k), I(rest));
             }},
    };
}

} // namespace

const RewriteRules& kronecker_identities() {
    static const RewriteRules rules = [] {
        RewriteRules all = flattening();
        append(all, identities_dropped());
        append(all, merging());
        return all;
    }();
    return rules;
}

const RewriteRules& reshaping_identities() {
    static const RewriteRules rules = [] {
        RewriteRules all = commutations();
        append(all, splittings());
        return all;
    }();
    return rules;
}

} // namespace swirl::rules
