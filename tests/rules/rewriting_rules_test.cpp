#include "rules/rewriting_rules.hpp"

#include "formula/parse.hpp"
#include "formula/print.hpp"

#include "formula/random_terms.hpp"
#include "formula/reference.hpp"

#include <map>
#include <set>

namespace swirl::rules {
namespace rewriting_rules_test {

using namespace formula;

/// Random terms in which the left-hand sides of the rules are frequent: sizes are products of few small numbers,
/// operands are arbitrary matrices.
class RandomInstances {
public:
    explicit RandomInstances(std::uint32_t seed) : random_(seed) {}

    std::vector<Formula> all() {
        const Integer k = small(), m = small(), n = small();
        const Formula a = some(m, n), b = some(k, k), c = some(n, n);
        const Formula chain[] = {
            product({product({a, I(n)}), c}),
            product({I(m), a, c}),
            kron({kron({I(k), a}), c}),
            kron({kron({I(k), I(n)}), kron({a, I(m)})}),
            kron({I(1), a, I(1)}),
            direct_sum({direct_sum({a, I(n)}), I(n), I(m)}),
            direct_sum({a, a, a}),
            direct_sum({kron(I(k), a), a}),
            L(m * n, m) * L(m * n, n),
            L(m * n, m) * J(m * n) * permutation(random_.permutation_map(m * n)),
            permutation(IndexMap::identity(m)) * a,
            kron(I(k), a) * kron(I(k), c),
            kron(a, I(k)) * kron(c, I(k)),
            kron(a, b) * kron(c, b),
            kron({a, b, c}),
            kron({b, L(m * n, m), I(k)}),
            kron(L(8, 4), I(k)) * L(8 * k, 4),
        };
        std::vector<Formula> terms(std::begin(chain), std::end(chain));
        add_real(terms, a, c);
        add_vector(terms);
        add_parallel(terms);
        add_sums(terms);
        terms.push_back(random_.term());
        return terms;
    }

private:
    Integer small() { return 1 + random_.below(4); }
    Formula some(Integer rows, Integer columns) {
        std::vector<Complex> entries;
        for (Integer i = 0; i < rows * columns; ++i)
            entries.emplace_back(static_cast<long double>(random_.below(9)) - 4,
                                 static_cast<long double>(random_.below(9)) - 4);
        return matrix(rows, columns, std::move(entries));
    }

    void add_real(std::vector<Formula>& terms, const Formula& a, const Formula& c) {
        for (const Formula& inside : {a * c, I(3), L(6, 2), kron(I(2), a), kron(a, I(3)), direct_sum(a, c)})
            terms.push_back(real_of(inside));
    }

    void add_vector(std::vector<Formula>& terms) {
        const Integer lanes = 1 + random_.below(3), k = small(), n = small();
        const Formula a = some(lanes * n, lanes * n), b = some(n, n), wide = some(lanes * n, small() * lanes);
        const Integer m = lanes * k;
        for (const Formula& inside :
             {kron(b, I(m)), kron(I(m), wide), kron(I(3), a), kron(b, a),
              kron(I(m), wide) * L(m * wide.columns(), m), L(m * wide.rows(), wide.rows()) * kron(I(m), wide),
              L(m * lanes * n, m), kron({I(k), L(m * n, m), I(lanes)}),
              kron(L(lanes * lanes * k, lanes), I(n)), permutation(digit_shuffle(lanes, k, n)), I(m),
              T(m * n, n), direct_sum(kron(b, I(m)), diagonal(random_.values(lanes))), pass(kron(b, I(m))),
              parallel_kron(3, kron(b, I(lanes))), cache_line_permutation(L(6, 2), m),
              kron(b, I(m)) * T(n * m, m) * kron(I(n), kron(I(lanes), DFT(k))) * L(n * m, n)})
            terms.push_back(tagged({Tag::Kind::vector, lanes}, inside));
        terms.push_back(vector_kron(b, lanes) * vector_kron(some(n, 2), lanes));
        terms.push_back(vector_transposition(lanes) * vector_transposition(lanes));
    }

    /// Digits of radices (ν, k, n, ν) in random order, some reversed.
    IndexMap digit_shuffle(Integer lanes, Integer k, Integer n) {
        std::vector<Integer> radices{lanes, k, n, lanes}, strides(4);
        std::vector<std::size_t> order{0, 1, 2, 3};
        std::shuffle(order.begin(), order.end(), random_.generator());
        Integer stride = 1, base = 0;
        for (const std::size_t q : order) {
            strides[q] = random_.below(4) == 0 ? -stride : stride;
            if (strides[q] < 0) base += stride * (radices[q] - 1);
            stride *= radices[q];
        }
        return {stride, stride, DigitMap{radices, strides, base}};
    }

    void add_parallel(std::vector<Formula>& terms) {
        const Integer p = 1 + random_.below(3), line = 1 + random_.below(2), k = small(), n = small();
        const Formula b = some(n, n), lined = some(n * line, 2 * line);
        for (const Formula& inside :
             {kron(I(p * k), lined), kron(b, I(p * line * k)), kron(I(3), some(p * line, p * line)),
              kron(b, b), L(p * line * k * n, p * line * k), L(p * line * k * n, n),
              kron({I(k), L(2 * n, n), I(line)}), kron(L(n * k, n), I(line)), I(p * line), T(p * line * n, n),
              pass(kron(I(p), lined)), kron(b, I(p * line)) * kron(I(n), I(p * line)) * L(n * p * line, n)})
            terms.push_back(tagged({Tag::Kind::parallel, p, line}, inside));
        terms.push_back(parallel_kron(p, b) * parallel_kron(p, some(n, 3)));
    }

    void add_sums(std::vector<Formula>& terms) {
        const Integer k = 1 + small(), r = small(), c = small();
        const Formula a = some(r, c), b = some(c, c);
        const Affine j = Affine::of(0);
        const Formula sum = iterative_sum(
            0, k,
            scatter(IndexMap::strided(r, k * r, j, k)) * a * gather(IndexMap::strided(c, k * c, j * c, 1)));
        for (const Formula& term :
             {kron(L(6, 2), I(k)), kron(I(k), T(6, 2)), kron(T(6, 3), I(k)), kron(I(k), a), kron(a, I(k)),
              kron(a, b), kron({I(2), a, I(3)}) * L(6 * c, 3), L(k * r, k) * sum * L(k * c, c) * T(k * c, c),
              T(k * r, k) * sum * L(k * c, k),
              iterative_sum(0, 1, scatter(IndexMap::strided(r, 9, j * 3 + 1, 2)) * a),
              kron(I(2), kron(I(k), a) * L(k * c, k) * kron(b, I(k))) * L(2 * k * c, 2),
              gather(IndexMap::strided(3, 12, 1, 2)) * T(12, 4) * L(12, 3),
              L(12, 4) * T(12, 6) * scatter(IndexMap::strided(3, 12, 2, 3)),
              gather(IndexMap::strided(3, 9, 1, 2)) * gather(IndexMap::strided(9, 12, 2, 1)),
              scatter(IndexMap::strided(9, 12, 2, 1)) * scatter(IndexMap::strided(3, 9, 1, 2)),
              // the same variable bound inside and used outside
              iterative_sum(0, k,
                            gather(IndexMap::strided(r, k * r, j * r, 1)) * kron(I(r), some(k, k)) *
                                scatter(IndexMap::strided(1, k * r, j, 1)))})
            terms.push_back(term);
    }

    RandomTerms random_;
};

long double scale(const formula::reference::Dense& matrix) {
    long double largest = 1;
    for (const Complex& entry : matrix.entries) largest = std::max(largest, std::abs(entry));
    return largest;
}

TEST(EveryRewriteRule, KeepsTheMatrixOnRandomTermsAndSomeTermFiresIt) {
    std::map<std::string, int> fired;
    for (const RewriteFamily& family : rewrite_families())
        for (const RewriteRule& rule : family.rules) fired[rule.name];
    for (std::uint32_t seed = 0; seed < 15; ++seed)
        for (const Formula& term : RandomInstances(seed).all()) {
            const formula::reference::Dense before = formula::reference::of(term);
            for (const RewriteFamily& family : rewrite_families())
                for (const RewriteRule& rule : family.rules) {
                    const auto after = rewrite_once(term, rule);
                    if (!after) continue;
                    ++fired[rule.name];
                    EXPECT_LT(formula::reference::distance(before, formula::reference::of(*after)),
                              1e-15L * scale(before))
                        << "seed " << seed << ", " << rule.name << "\n  " << to_text(term) << "\n  "
                        << to_text(*after);
                }
        }
    for (const auto& [name, count] : fired) EXPECT_GT(count, 0) << "no term fires " << name;
}

TEST(EveryTerminatingFamily, ReachesAFixpointThatKeepsTheMatrix) {
    for (std::uint32_t seed = 100; seed < 110; ++seed)
        for (const Formula& term : RandomInstances(seed).all()) {
            const formula::reference::Dense before = formula::reference::of(term);
            for (const RewriteFamily& family : rewrite_families()) {
                if (!family.terminates) continue;
                const Formula after = rewrite_to_fixpoint(term, family.rules, nullptr, 1000);
                EXPECT_LT(formula::reference::distance(before, formula::reference::of(after)),
                          1e-15L * scale(before))
                    << "seed " << seed << ", " << family.name << "\n  " << to_text(term) << "\n  "
                    << to_text(after);
                EXPECT_EQ(rewrite_to_fixpoint(after, family.rules), after);
            }
            for (const Formula& merged : {merge_loops(term), simplify(term), merge_loops(simplify(term))})
                EXPECT_LT(formula::reference::distance(before, formula::reference::of(merged)),
                          1e-15L * scale(before))
                    << "seed " << seed << "\n  " << to_text(term) << "\n  " << to_text(merged);
        }
}

TEST(RuleNames, AreUniqueInTheirFamily) {
    for (const RewriteFamily& family : rewrite_families()) {
        std::set<std::string> names;
        for (const RewriteRule& rule : family.rules)
            EXPECT_TRUE(names.insert(std::string(family.name) + rule.name).second) << rule.name;
    }
}

TEST(Simplify, ReducesTheBooksIdentities) {
    EXPECT_EQ(simplify(L(12, 3) * L(12, 4)), I(12));
    EXPECT_EQ(simplify(kron({I(2), I(3), DFT(2), I(1)})), kron(I(6), DFT(2)));
    EXPECT_EQ(simplify(product({I(4), product({DFT(4), product({I(4), L(4, 2)})})})), DFT(4) * L(4, 2));
    EXPECT_EQ(simplify(direct_sum({DFT(2), DFT(2), DFT(2)})), kron(I(3), DFT(2)));
    EXPECT_EQ(simplify(kron(I(4), L(6, 2)) * kron(I(4), L(6, 3))), I(24));
}

TEST(Equation16, IsAReshapingRule) {
    for (const RewriteFamily& family : rewrite_families())
        for (const RewriteRule& rule : family.rules)
            if (rule.name == "A_m ⊗ I_n → L^mn_m (I_n ⊗ A_m) L^mn_n") {
                EXPECT_EQ(rewrite_once(kron(DFT(3), I(4)), rule), L(12, 3) * kron(I(4), DFT(3)) * L(12, 4));
                return;
            }
    FAIL() << "eq. 16 is not in the registry";
}

// ---- the fast Fourier transforms of the tutorial and of Stockham, n = r·m --------------------------------------

Formula cooley_tukey(Integer m, Integer n) {
    return kron(DFT(m), I(n)) * T(m * n, n) * kron(I(m), DFT(n)) * L(m * n, m);
}

Formula decimation_in_frequency(Integer m, Integer n) {
    return L(m * n, n) * kron(I(m), DFT(n)) * T(m * n, n) * kron(DFT(m), I(n));
}

Formula six_step(Integer m, Integer n) {
    return L(m * n, m) * kron(I(n), DFT(m)) * L(m * n, n) * T(m * n, n) * kron(I(m), DFT(n)) * L(m * n, m);
}

Formula three_factors(Integer r, Integer s, Integer t) {
    return kron(DFT(r), I(s * t)) * T(r * s * t, s * t) *
           kron(I(r), kron(DFT(s), I(t)) * T(s * t, t) * kron(I(s), DFT(t)) * L(s * t, s)) * L(r * s * t, r);
}

std::vector<Formula> transforms(Integer m, Integer n) {
    return {cooley_tukey(m, n), decimation_in_frequency(m, n), six_step(m, n), three_factors(m, n, m)};
}

std::vector<Formula> two_factor_transforms(Integer m, Integer n) {
    return {cooley_tukey(m, n), decimation_in_frequency(m, n), six_step(m, n)};
}

bool mentions(const Formula& formula, Tag::Kind kind) {
    const auto* p = formula.get_if<Tagged>();
    if (p && p->tag.kind == kind) return true;
    return std::any_of(formula.children().begin(), formula.children().end(),
                       [&](const Formula& child) { return mentions(child, kind); });
}

TEST(Vectorization, OfFourierTransformsIsCompleteWhenTheLanesDivideTheFactors) {
    for (const Integer lanes : {1, 2, 4, 8})
        for (const auto& [a, b] : {std::pair{1, 1}, {1, 2}, {3, 1}, {2, 3}})
            for (const Formula& transform : transforms(a * lanes, b * lanes)) {
                RewriteTrace trace;
                const Formula vectorized = vectorize(transform, lanes, &trace);
                EXPECT_TRUE(is_fully_vectorized(vectorized, lanes))
                    << lanes << " lanes: " << to_text(vectorized);
                EXPECT_FALSE(mentions(vectorized, vec));
                EXPECT_FALSE(trace.empty());
                if (transform.rows() > 200) continue;
                EXPECT_SAME_MATRIX(formula::reference::of(vectorized), formula::reference::of(transform))
                    << to_text(vectorized);
            }
}

TEST(Vectorization, OfCooleyTukeyIsTheShortVectorAlgorithm) {
    // Franchetti, Voronenko, Püschel (2006, VECPAR), eq. 10: two passes on vectors and one set of transpositions
    EXPECT_EQ(to_text(vectorize(cooley_tukey(8, 16), 4)),
              "((DFT(8) ⊗ I(4)) ⊗ᵥ I(4)) · T(128, 16) · "
              "(I(2) ⊗ ((L(16, 4) ⊗ᵥ I(4)) · (I(4) ⊗ Lᵥ(16, 4)) · (DFT(16) ⊗ᵥ I(4)))) · (L(32, 2) ⊗ᵥ I(4))");
}

TEST(Vectorization, OfSizesThatTheLanesDoNotDivideKeepsTheTag) {
    for (const auto& [m, n] : {std::pair{3, 5}, {4, 6}, {2, 4}, {6, 4}})
        for (const Formula& transform : two_factor_transforms(m, n)) {
            const Formula partly = vectorize(transform, 4);
            EXPECT_FALSE(is_fully_vectorized(partly, 4)) << to_text(partly);
            EXPECT_TRUE(mentions(partly, vec)) << to_text(partly);
            EXPECT_SAME_MATRIX(formula::reference::of(partly), formula::reference::of(transform))
                << to_text(partly);
        }
}

TEST(Vectorization, IsRecognisedOnlyOnWholeVectors) {
    EXPECT_TRUE(is_fully_vectorized(vector_kron(DFT(3), 4) * T(12, 4), 4));
    EXPECT_FALSE(is_fully_vectorized(vector_kron(DFT(3), 4), 8));
    EXPECT_FALSE(is_fully_vectorized(kron(DFT(3), I(4)), 4));
    EXPECT_FALSE(is_fully_vectorized(L(16, 4), 4));
    EXPECT_FALSE(is_fully_vectorized(kron(vector_kron(DFT(3), 4), I(2)), 4));
    EXPECT_FALSE(is_fully_vectorized(T(6, 2), 4));
    EXPECT_FALSE(is_fully_vectorized(tagged({Tag::Kind::vector, 4}, vector_kron(DFT(3), 4)), 4));
}

TEST(Parallelization, OfFourierTransformsIsCompleteWhenProcessorsTimesLinesDivideTheFactors) {
    for (const auto& [p, line] : {std::pair{1, 1}, {2, 1}, {2, 2}, {3, 2}, {2, 4}})
        for (const auto& [a, b] : {std::pair{1, 1}, {2, 1}, {1, 3}})
            for (const Formula& transform : transforms(a * p * line, b * p * line)) {
                const Formula parallel = parallelize(transform, p, line);
                EXPECT_TRUE(is_fully_parallel(parallel, p, line))
                    << p << " processors, lines of " << line << ": " << to_text(parallel);
                EXPECT_FALSE(mentions(parallel, smp));
                if (transform.rows() > 200) continue;
                EXPECT_SAME_MATRIX(formula::reference::of(parallel), formula::reference::of(transform))
                    << to_text(parallel);
            }
}

TEST(Parallelization, OfCooleyTukeyIsTheMulticoreAlgorithm) {
    // Franchetti, Voronenko, Püschel (2006, SC), eq. 14
    EXPECT_EQ(
        to_text(parallelize(cooley_tukey(8, 8), 2, 2)),
        "((L(16, 8) ⊗ I(2)) ⊗̄ I(2)) · (I(2) ⊗∥ (DFT(8) ⊗ I(4))) · ((L(16, 2) ⊗ I(2)) ⊗̄ I(2)) · T(64, 8) · "
        "(I(2) ⊗∥ ((I(4) ⊗ DFT(8)) · L(32, 4))) · ((L(16, 2) ⊗ I(2)) ⊗̄ I(2))");
}

TEST(Parallelization, OfSizesThatDoNotDivideKeepsTheTag) {
    for (const auto& [m, n] : {std::pair{3, 5}, {2, 4}, {6, 2}})
        for (const Formula& transform : transforms(m, n)) {
            const Formula partly = parallelize(transform, 4, 2);
            EXPECT_FALSE(is_fully_parallel(partly, 4, 2)) << to_text(partly);
            EXPECT_TRUE(mentions(partly, smp)) << to_text(partly);
            EXPECT_SAME_MATRIX(formula::reference::of(partly), formula::reference::of(transform))
                << to_text(partly);
        }
}

TEST(Parallelization, ThenVectorizationIsBoth) {
    for (const Formula& transform : transforms(16, 16)) {
        const Formula both = vectorize(parallelize(transform, 2, 4), 4);
        EXPECT_TRUE(is_fully_parallel(both, 2, 4)) << to_text(both);
        EXPECT_TRUE(is_fully_vectorized(both, 4)) << to_text(both);
    }
}

TEST(LoopMerging, OfCooleyTukeyLeavesTwoLoopsAndNothingElse) {
    // Franchetti, Voronenko, Püschel (2005), section 4: twiddles scale the first loop's input, L strides the second's
    EXPECT_EQ(to_text(merge_loops(cooley_tukey(4, 8))),
              "Σ(i0 < 8)[S(h(4 → 32; i0, 8)) · DFT(4) · diag(w(32)^(i/8%4 * i/1%8); h(4 → 32; i0, 8)) · "
              "G(h(4 → 32; i0, 8))] · Σ(i0 < 4)[S(h(8 → 32; 8*i0, 1)) · DFT(8) · G(h(8 → 32; i0, 4))]");
}

TEST(LoopMerging, LeavesOnlySumsInFourierTransforms) {
    for (const auto& [m, n] : {std::pair{2, 3}, {4, 4}, {3, 5}})
        for (const Formula& transform : transforms(m, n)) {
            const Formula merged = merge_loops(transform);
            for (const Formula& factor : merged.is<Product>() ? merged.children() : std::vector{merged})
                EXPECT_TRUE(factor.is<IterativeSum>()) << to_text(merged);
            EXPECT_SAME_MATRIX(formula::reference::of(merged), formula::reference::of(transform))
                << to_text(merged);
        }
}

TEST(LoopMerging, OfManyFactorsHasNestedLoopsWithAffineAddresses) {
    const Formula fft = three_factors(4, 8, 2);
    const Formula merged = merge_loops(fft);
    EXPECT_EQ(parse(to_text(merged)), merged);
    EXPECT_SAME_MATRIX(formula::reference::of(merged), formula::reference::of(fft));
}

} // namespace rewriting_rules_test
} // namespace swirl::rules
