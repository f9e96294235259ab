// Tag vec(ν). Franchetti, Voronenko, Püschel: "A rewriting system for the vectorization of signal transforms"
// (VECPAR 2006). Terms that have no form on whole vectors keep their tag.
#include "rules/building_blocks.hpp"
#include "rules/rewrite_families.hpp"
#include "rules/rewriting_rules.hpp"
#include "rules/terms.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

Formula vec_tagged(const Formula& formula, const Match& m) { return tagged(m.tag(), formula); }

/// A ⊗ I_n → (A ⊗ I_{n/ν}) ⊗ᵥ I_ν.
Formula on_vectors(const Formula& a, Integer n, Integer lanes) {
    return vector_kron(spread(a, n / lanes), lanes);
}

bool divides(Integer lanes, Shape shape) { return shape.rows % lanes == 0 && shape.columns % lanes == 0; }

Formula moved_vectors(const IndexMap& map, Integer lanes) {
    return vector_kron(shown_as_product(map), lanes);
}

// Exchanges the fastest output digit u and the fastest input digit w, both of radix ν, in registers; the remaining
// permutation on either side moves whole vectors:
//   output (…w…, u) = Q₁ ⊗ I_ν ⇒ (…, w, u) = I ⊗ L^{ν²}_ν ⇒ (…, u, w) = Q₂ ⊗ I_ν ⇒ input (…u…, w)
std::optional<Formula> through_transpositions(const IndexMap& map, Integer lanes) {
    const auto* digits = std::get_if<DigitMap>(&map.kind());
    if (!digits || digits->modulus != 0 || !digits->base.is_constant()) return std::nullopt;
    const auto input_fastest = std::find(digits->strides.begin(), digits->strides.end(), 1);
    if (input_fastest == digits->strides.end() || input_fastest + 1 == digits->strides.end())
        return std::nullopt;
    const auto w = static_cast<std::size_t>(input_fastest - digits->strides.begin());
    if (digits->radices[w] % lanes != 0 || digits->radices.back() % lanes != 0 || digits->strides.back() < 0)
        return std::nullopt;
    const Integer n = map.domain(), vectors = n / lanes, u_stride = digits->strides.back();
    // Q₁ without u; its values are indices of (other digits in output order, w)
    DigitMap first{digits->radices, std::vector<Integer>(digits->radices.size())};
    first.radices.back() /= lanes;
    first.radices[w] /= lanes;
    first.radices.insert(first.radices.begin() + static_cast<std::ptrdiff_t>(w) + 1, lanes);
    first.strides.push_back(0);
    Integer weight = lanes;
    for (std::size_t q = first.radices.size(); q-- > 0;) {
        first.strides[q] = q == w + 1 ? 1 : weight;
        if (q != w + 1) weight *= first.radices[q];
    }
    // Q₂ without w; its domain is (other digits in output order, u)
    DigitMap second = *digits;
    second.radices.back() /= lanes;
    second.radices[w] /= lanes;
    second.strides.back() *= lanes;
    second.strides[w] = lanes;
    second.radices.push_back(lanes);
    second.strides.push_back(u_stride);
    for (Integer& stride : second.strides) stride /= lanes;
    second.base = second.base.constant() / lanes;
    std::vector<Formula> factors;
    const IndexMap left(vectors, vectors, first), right(vectors, vectors, second);
    if (!left.is_identity()) factors.push_back(moved_vectors(left, lanes));
    factors.push_back(repeat(vectors / lanes, vector_transposition(lanes)));
    if (!right.is_identity()) factors.push_back(moved_vectors(right, lanes));
    return product(std::move(factors));
}

// ---- I ⊗ A fused with the stride permutation that it needs ---------------------------------------------------

/// Whether the terms are (I_m ⊗ A) L^{mc}_m where ν divides m and the rows of A.
bool is_loop_after_stride(const Formula& loop, const Formula& stride, Integer lanes) {
    if (!loop.is<Kronecker>() || !loop.children()[0].is<Identity>()) return false;
    const Integer m = loop.children()[0].rows();
    return m % lanes == 0 && loop.rows() / m % lanes == 0 && stride == L(loop.columns(), m);
}

/// Whether the terms are L^{mr}_r (I_m ⊗ A) where ν divides m and the columns of A.
bool is_loop_before_stride(const Formula& stride, const Formula& loop, Integer lanes) {
    if (!loop.is<Kronecker>() || !loop.children()[0].is<Identity>()) return false;
    const Integer m = loop.children()[0].rows();
    return m % lanes == 0 && loop.columns() / m % lanes == 0 && stride == L(loop.rows(), loop.rows() / m);
}

RewriteRules loops_with_strides() {
    return {
        {.name =
             "vec(ν)[(I_m ⊗ A_n) L^mn_m] → (I_{m/ν} ⊗ vec(ν)[L^nν_ν] (A_n ⊗ᵥ I_ν))(L^{mn/ν}_{m/ν} ⊗ᵥ I_ν)",
         .match = tagged(vec, product(kron(identity("m"), any("A")), term<Permutation>("L"))),
         .when = [](const Match& m) { return is_loop_after_stride(kron(m["m"], m["A"]), m["L"], m.lanes()); },
         .rewrite =
             [](const Match& m) {
                 const Integer lanes = m.lanes(), k = m.size("m") / lanes, r = m["A"].rows(),
                               c = m["A"].columns();
                 return repeat(k, vec_tagged(L(r * lanes, lanes), m) * vector_kron(m["A"], lanes)) *
                        vector_kron(L(k * c, k), lanes);
             }},
        {.name = "vec(ν)[L^mn_n (I_m ⊗ A_n)] → (L^{mn/ν}_n ⊗ᵥ I_ν)(I_{m/ν} ⊗ (A_n ⊗ᵥ I_ν) vec(ν)[L^nν_n])",
         .match = tagged(vec, product(term<Permutation>("L"), kron(identity("m"), any("A")))),
         .when =
             [](const Match& m) { return is_loop_before_stride(m["L"], kron(m["m"], m["A"]), m.lanes()); },
         .rewrite =
             [](const Match& m) {
                 const Integer lanes = m.lanes(), k = m.size("m") / lanes, r = m["A"].rows(),
                               c = m["A"].columns();
                 return vector_kron(L(k * r, r), lanes) *
                        repeat(k, vector_kron(m["A"], lanes) * vec_tagged(L(c * lanes, c), m));
             }},
        {.name = "vec(ν)[A B] → vec(ν)[A] vec(ν)[B]",
         .match = tagged(vec, term<Product>("F")),
         .rewrite =
             [](const Match& m) {
                 const std::vector<Formula>& factors = m["F"].children();
                 std::vector<Formula> result;
                 for (std::size_t i = 0; i < factors.size(); ++i) {
                     const bool pair = i + 1 < factors.size() &&
                                       (is_loop_after_stride(factors[i], factors[i + 1], m.lanes()) ||
                                        is_loop_before_stride(factors[i], factors[i + 1], m.lanes()));
                     result.push_back(vec_tagged(pair ? factors[i] * factors[i + 1] : factors[i], m));
                     i += pair ? 1 : 0;
                 }
                 return product(std::move(result));
             }},
    };
}

RewriteRules permutations() {
    return {
        {.name = "vec(ν)[P ⊗ Q] → vec(ν)[P_{f⊗g}]",
         .match = tagged(vec, kron(any("P"), any("Q"))),
         .when = both_move_data,
         .rewrite = [](const Match& m) { return vec_tagged(tensor_permutation(m), m); }},
        {.name = "vec(ν)[P ⊗ I_ν] → P ⊗ᵥ I_ν",
         .match = tagged(vec, term<Permutation>("P")),
         .rewrite = [](const Match& m) -> std::optional<Formula> {
             const auto whole = map_of(m["P"]).of_blocks(m.lanes());
             return whole ? std::optional(moved_vectors(*whole, m.lanes())) : std::nullopt;
         }},
        {.name = "vec(ν)[L] → (Q ⊗ᵥ I_ν)(I ⊗ L^ν²_ν)(R ⊗ᵥ I_ν)",
         .match = tagged(vec, term<Permutation>("P")),
         .rewrite = [](const Match& m) { return through_transpositions(map_of(m["P"]), m.lanes()); }},
    };
}

RewriteRules kronecker_products() {
    return {
        {.name = "vec(ν)[A_m ⊗ I_n] → (A_m ⊗ I_{n/ν}) ⊗ᵥ I_ν",
         .match = tagged(vec, kron(any("A"), identity("n"))),
         .when = [](const Match& m) { return m.size("n") % m.lanes() == 0; },
         .rewrite = [](const Match& m) { return on_vectors(m["A"], m.size("n"), m.lanes()); }},
        {.name = "vec(ν)[I_m ⊗ A_n] → I_{m/ν} ⊗ vec(ν)[L^nν_ν] (A_n ⊗ᵥ I_ν) vec(ν)[L^nν_n]",
         .match = tagged(vec, kron(identity("m"), any("A"))),
         .when =
             [](const Match& m) {
                 return m.size("m") % m.lanes() == 0 && divides(m.lanes(), m["A"].shape());
             },
         .rewrite =
             [](const Match& m) {
                 const Integer lanes = m.lanes(), r = m["A"].rows(), c = m["A"].columns();
                 return repeat(m.size("m") / lanes, vec_tagged(L(r * lanes, lanes), m) *
                                                        vector_kron(m["A"], lanes) *
                                                        vec_tagged(L(c * lanes, c), m));
             }},
        {.name = "vec(ν)[I_m ⊗ A] → I_m ⊗ vec(ν)[A]",
         .match = tagged(vec, kron(identity("m"), any("A"))),
         .when = [](const Match& m) { return divides(m.lanes(), m["A"].shape()); },
         .rewrite = [](const Match& m) { return kron(m["m"], vec_tagged(m["A"], m)); }},
        {.name = "vec(ν)[A ⊗ B] → vec(ν)[A ⊗ I] vec(ν)[I ⊗ B]",
         .match = tagged(vec, kron(any("A"), any("B"))),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 return vec_tagged(kron(m["A"], I(m["B"].rows())), m) *
                        vec_tagged(kron(I(m["A"].columns()), m["B"]), m);
             }},
    };
}

RewriteRules other_constructs() {
    return {
        {.name = "vec(ν)[A] → A on whole vectors",
         .match = tagged(vec, any("A")),
         .when = [](const Match& m) { return is_fully_vectorized(m["A"], m.lanes()); },
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "vec(ν)[A ⊕ B] → vec(ν)[A] ⊕ vec(ν)[B]",
         .match = tagged(vec, direct_sum(any("A"), any("B"))),
         .when =
             [](const Match& m) {
                 return divides(m.lanes(), m["A"].shape()) && divides(m.lanes(), m["B"].shape());
             },
         .rewrite = [](const Match& m) { return direct_sum(vec_tagged(m["A"], m), vec_tagged(m["B"], m)); }},
        {.name = "vec(ν)[pass[A]] → pass[vec(ν)[A]]",
         .match = tagged(vec, tagged(Tag::Kind::pass, any("A"))),
         .rewrite = [](const Match& m) { return pass(vec_tagged(m["A"], m)); }},
        {.name = "vec(ν)[I_p ⊗∥ A] → I_p ⊗∥ vec(ν)[A]",
         .match = tagged(vec, term<ParallelKronecker>("F", any("A"))),
         .when = [](const Match& m) { return divides(m.lanes(), m["A"].shape()); },
         .rewrite =
             [](const Match& m) {
                 return parallel_kron(m.payload<ParallelKronecker>("F").processors, vec_tagged(m["A"], m));
             }},
    };
}

RewriteRules vector_form_merging() {
    return {
        {.name = "(A ⊗ᵥ I_ν)(B ⊗ᵥ I_ν) → AB ⊗ᵥ I_ν",
         .match = product(term<VectorKronecker>("F", any("A")), term<VectorKronecker>("G", any("B"))),
         .when =
             [](const Match& m) {
                 return m.payload<VectorKronecker>("F") == m.payload<VectorKronecker>("G");
             },
         .rewrite =
             [](const Match& m) {
                 return vector_kron(m["A"] * m["B"], m.payload<VectorKronecker>("F").lanes);
             }},
        {.name = "L^ν²_ν L^ν²_ν → I_ν²",
         .match = product(term<VectorTransposition>("L"), term<VectorTransposition>("L")),
         .rewrite = [](const Match& m) { return I(m.size("L")); }},
    };
}

} // namespace

const RewriteRules& vectorization_rules() {
    static const RewriteRules rules = [] {
        RewriteRules all;
        for (const RewriteRules& part : {other_constructs(), permutations(), loops_with_strides(),
                                         kronecker_products(), vector_form_merging()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return rules;
}

bool is_fully_vectorized(const Formula& formula, Integer lanes) {
    if (lanes == 1) return true;
    const auto& children = formula.children();
    const auto vectorized = [&](const Formula& child) { return is_fully_vectorized(child, lanes); };
    if (const auto* p = formula.get_if<VectorKronecker>()) return p->lanes == lanes;
    if (const auto* p = formula.get_if<VectorTransposition>()) return p->lanes == lanes;
    if (const auto* p = formula.get_if<CacheLinePermutation>()) return p->line % lanes == 0;
    if (formula.is<Identity>() || formula.is<Diagonal>()) return formula.rows() % lanes == 0;
    if (formula.is<Product>() || formula.is<DirectSum>() || formula.is<ParallelKronecker>())
        return std::all_of(children.begin(), children.end(), vectorized);
    if (formula.is<Kronecker>())
        return std::all_of(children.begin(), children.end() - 1,
                           [](const Formula& f) { return f.is<Identity>(); }) &&
               vectorized(children.back());
    if (const auto* p = formula.get_if<Tagged>())
        return p->tag.kind == Tag::Kind::pass && vectorized(children.front());
    return false;
}

Formula vectorize(const Formula& formula, Integer lanes, RewriteTrace* trace) {
    ensure(lanes >= 1, "vectors of {} lanes", lanes);
    const Formula simple = simplify(formula, trace);
    return simplify(
        rewrite_to_fixpoint(tagged({Tag::Kind::vector, lanes}, simple), vectorization_rules(), trace), trace);
}

} // namespace swirl::rules
