// Σ-SPL. Franchetti, Voronenko, Püschel: "Formal loop merging for signal transforms" (PLDI 2005), table 2.
//
//   I_k ⊗ A = Σ_j S(h_{jr,1}) A G(h_{jc,1}),   A ⊗ I_k = Σ_j S(h_{j,k}) A G(h_{j,k})   for an r×c matrix A,
//
// then permutations, diagonals, gathers and scatters next to a sum move into it.
#include "rules/rewrite_families.hpp"
#include "rules/terms.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

using Counts = IndexMap::Counts;

/// One more than the largest variable in a term, bound or free.
Variable fresh_variable(const Formula& formula) {
    Variable fresh = 0;
    const auto see = [&](const IndexMap& map) {
        if (const auto* digits = std::get_if<DigitMap>(&map.kind()))
            for (const Affine::Term& term : digits->base.terms()) fresh = std::max(fresh, term.variable + 1);
    };
    if (const auto* p = formula.get_if<Gather>()) see(p->map);
    if (const auto* p = formula.get_if<Scatter>()) see(p->map);
    if (const auto* p = formula.get_if<Diagonal>()) see(p->index);
    if (const auto* p = formula.get_if<IterativeSum>()) fresh = p->variable + 1;
    for (const Formula& child : formula.children()) fresh = std::max(fresh, fresh_variable(child));
    return fresh;
}

/// The term with `value` substituted for a free variable.
Formula substitute(const Formula& term, Variable variable, const Affine& value) {
    if (const auto* p = term.get_if<Gather>()) return gather(p->map.substitute(variable, value));
    if (const auto* p = term.get_if<Scatter>()) return scatter(p->map.substitute(variable, value));
    if (const auto* p = term.get_if<Diagonal>())
        return diagonal(p->function, p->index.substitute(variable, value));
    if (const auto* p = term.get_if<IterativeSum>(); p && p->variable == variable) return term;
    std::vector<Formula> children;
    for (const Formula& child : term.children()) children.push_back(substitute(child, variable, value));
    return with_children(term, std::move(children));
}

// ---- adjacent operands ---------------------------------------------------------------------------------------

/// G(g)·X as D·G or G, for a permutation, gather or diagonal X.
std::optional<Formula> gather_after(const IndexMap& g, const Formula& x, const Counts& counts) {
    const auto* diagonal_payload = x.get_if<Diagonal>();
    const IndexMap* outer = nullptr;
    if (const auto* p = x.get_if<Permutation>()) outer = &p->map;
    if (const auto* p = x.get_if<Gather>()) outer = &p->map;
    if (diagonal_payload) outer = &diagonal_payload->index;
    if (!outer) return std::nullopt;
    const auto both = try_compose(*outer, g, counts);
    if (!both) return std::nullopt;
    if (diagonal_payload) return diagonal(diagonal_payload->function, *both) * gather(g);
    return gather(*both);
}

/// X·S(s) as S·D or S, for a permutation, scatter or diagonal X.
std::optional<Formula> scatter_before(const Formula& x, const IndexMap& s, const Counts& counts) {
    if (const auto* p = x.get_if<Diagonal>()) {
        const auto both = try_compose(p->index, s, counts);
        if (!both) return std::nullopt;
        return scatter(s) * diagonal(p->function, *both);
    }
    std::optional<IndexMap> both;
    if (const auto* p = x.get_if<Permutation>()) both = try_compose(p->map.inverse(), s, counts);
    if (const auto* p = x.get_if<Scatter>()) both = try_compose(p->map, s, counts);
    return both ? std::optional(scatter(*both)) : std::nullopt;
}

enum class Side { left, right };

/// Terms that a gather on their left, or a scatter on their right, can absorb.
bool only_moves_or_scales(const Formula& x) {
    return x.is<Permutation>() || x.is<Diagonal>() || x.is<Gather>() || x.is<Scatter>();
}

/// Moves X into a sum from one side, down to the gathers (right) or scatters (left); empty if one of them cannot absorb
/// it.
std::optional<Formula> moved_into(const Formula& term, const Formula& x, Side side, const Counts& counts) {
    if (!only_moves_or_scales(x)) return std::nullopt;
    if (const auto* p = term.get_if<Gather>(); p && side == Side::right)
        return gather_after(p->map, x, counts);
    if (const auto* p = term.get_if<Scatter>(); p && side == Side::left)
        return scatter_before(x, p->map, counts);
    if (term.is<Product>()) {
        std::vector<Formula> factors = term.children();
        Formula& last = side == Side::right ? factors.back() : factors.front();
        auto merged = moved_into(last, x, side, counts);
        if (!merged) return std::nullopt;
        last = *std::move(merged);
        Formula result = factors.front();
        for (std::size_t i = 1; i < factors.size(); ++i) result = result * factors[i];
        return result;
    }
    if (const auto* sum = term.get_if<IterativeSum>()) {
        const Variable variable = sum->variable;
        const bool captures = substitute(x, variable, Affine(0)) != x;
        if (captures) {
            const Variable other = std::max(fresh_variable(term), fresh_variable(x));
            const Formula body = substitute(term.children().front(), variable, Affine::of(other));
            return moved_into(iterative_sum(other, sum->count, body), x, side, counts);
        }
        const auto inner_counts = [&](Variable v) {
            return v == variable ? sum->count : counts ? counts(v) : Integer{0};
        };
        const auto body = moved_into(term.children().front(), x, side, inner_counts);
        return body ? std::optional(iterative_sum(variable, sum->count, *body)) : std::nullopt;
    }
    return std::nullopt;
}

// ---- rules ---------------------------------------------------------------------------------------------------

bool is_loop_body(const Formula& a) { return !a.is<Identity>() && !a.is<Permutation>() && !a.is<Diagonal>(); }

/// D(f, index) with the index repeated or held constant over a Kronecker product with an identity.
std::optional<Formula> widened(const Formula& diagonal_term, const IndexMap& into_index) {
    const auto* p = diagonal_term.get_if<Diagonal>();
    const auto index = try_compose(p->index, into_index);
    return index ? std::optional(diagonal(p->function, *index)) : std::nullopt;
}

RewriteRules folding_into_one() {
    return {
        {.name = "P_f ⊗ P_g → P_{f⊗g}",
         .match = kron(any("P"), any("Q")),
         .when = both_move_data,
         .rewrite = tensor_permutation},
        {.name = "I_k ⊗ D → D'",
         .match = kron(identity("k"), term<Diagonal>("D")),
         .rewrite =
             [](const Match& m) {
                 const Integer k = m.size("k"), n = m.size("D");
                 return widened(m["D"], IndexMap(k * n, n, DigitMap{{k, n}, {0, 1}}));
             }},
        {.name = "D ⊗ I_k → D'",
         .match = kron(term<Diagonal>("D"), identity("k")),
         .rewrite =
             [](const Match& m) {
                 const Integer k = m.size("k"), n = m.size("D");
                 return widened(m["D"], IndexMap(k * n, n, DigitMap{{n, k}, {1, 0}}));
             }},
    };
}

RewriteRules loops() {
    return {
        {.name = "A ⊗ B → (A ⊗ I)(I ⊗ B)",
         .match = kron(any("A"), any("B")),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 return kron(m["A"], I(m["B"].rows())) * kron(I(m["A"].columns()), m["B"]);
             }},
        {.name = "I_k ⊗ A → Σ_j S(h_{jr,1}) A G(h_{jc,1})",
         .match = kron(identity("k"), any("A")),
         .when = [](const Match& m) { return is_loop_body(m["A"]); },
         .rewrite =
             [](const Match& m) {
                 const Variable j = fresh_variable(m["A"]);
                 const Integer k = m.size("k"), r = m["A"].rows(), c = m["A"].columns();
                 return iterative_sum(j, k,
                                      scatter(IndexMap::strided(r, k * r, Affine::of(j, r), 1)) * m["A"] *
                                          gather(IndexMap::strided(c, k * c, Affine::of(j, c), 1)));
             }},
        {.name = "A ⊗ I_k → Σ_j S(h_{j,k}) A G(h_{j,k})",
         .match = kron(any("A"), identity("k")),
         .when = [](const Match& m) { return is_loop_body(m["A"]); },
         .rewrite =
             [](const Match& m) {
                 const Variable j = fresh_variable(m["A"]);
                 const Integer k = m.size("k"), r = m["A"].rows(), c = m["A"].columns();
                 return iterative_sum(j, k,
                                      scatter(IndexMap::strided(r, k * r, Affine::of(j), k)) * m["A"] *
                                          gather(IndexMap::strided(c, k * c, Affine::of(j), k)));
             }},
        {.name = "Σ_{j<1} A_j → A_0",
         .match = term<IterativeSum>("F", any("A")),
         .when = [](const Match& m) { return m.payload<IterativeSum>("F").count == 1; },
         .rewrite =
             [](const Match& m) {
                 return substitute(m["A"], m.payload<IterativeSum>("F").variable, Affine(0));
             }},
    };
}

RewriteRules neighbours() {
    return {
        {.name = "(Σ A G) X → Σ A (G X)",
         .match = product(term<IterativeSum>("F"), any("X")),
         .rewrite = [](const Match& m) { return moved_into(m["F"], m["X"], Side::right, m.counts()); }},
        {.name = "X (Σ S A) → Σ (X S) A",
         .match = product(any("X"), term<IterativeSum>("F")),
         .rewrite = [](const Match& m) { return moved_into(m["F"], m["X"], Side::left, m.counts()); }},
        {.name = "G(g) X → X' G",
         .match = product(term<Gather>("G"), any("X")),
         .rewrite = [](const Match& m) { return moved_into(m["G"], m["X"], Side::right, m.counts()); }},
        {.name = "X S(s) → S X'",
         .match = product(any("X"), term<Scatter>("S")),
         .rewrite = [](const Match& m) { return moved_into(m["S"], m["X"], Side::left, m.counts()); }},
    };
}

} // namespace

const RewriteRules& loop_merging_rules() {
    static const RewriteRules rules = [] {
        RewriteRules all;
        for (const RewriteRules& part : {folding_into_one(), neighbours(), loops()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return rules;
}

} // namespace swirl::rules
