#include "rules/rewriting_rules.hpp"

#include "formula/parse.hpp"
#include "formula/print.hpp"

#include "formula/random_terms.hpp"
#include "formula/reference.hpp"

#include <map>

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

TEST(EveryRewriteRule, KeepsTheMatrixAndFires) {
    std::map<std::string, int> fired;
    for (const RewriteRule& rule : kronecker_identities()) fired[rule.name];
    EXPECT_EQ(fired.size(), kronecker_identities().size()) << "two rules of one name";
    for (std::uint32_t seed = 0; seed < 15; ++seed)
        for (const Formula& term : RandomInstances(seed).all()) {
            const formula::reference::Dense before = formula::reference::of(term);
            for (const RewriteRule& rule : kronecker_identities()) {
                RewriteTrace trace;
                const Formula after = rewrite_to_fixpoint(term, {&rule, 1}, &trace, 1000);
                if (trace.empty()) continue;
                ++fired[rule.name];
                EXPECT_LT(formula::reference::distance(before, formula::reference::of(after)),
                          1e-15L * scale(before))
                    << "seed " << seed << ", " << rule.name << "\n  " << to_text(term) << "\n  "
                    << to_text(after);
            }
        }
    for (const auto& [name, count] : fired) EXPECT_GT(count, 0) << "no term fires " << name;
}

TEST(Simplify, ReachesAFixpointThatKeepsTheMatrix) {
    for (std::uint32_t seed = 100; seed < 110; ++seed)
        for (const Formula& term : RandomInstances(seed).all()) {
            const formula::reference::Dense before = formula::reference::of(term);
            const Formula after = simplify(term);
            EXPECT_LT(formula::reference::distance(before, formula::reference::of(after)),
                      1e-15L * scale(before))
                << "seed " << seed << "\n  " << to_text(term) << "\n  " << to_text(after);
            EXPECT_EQ(simplify(after), after);
        }
}

TEST(Simplify, ReducesTheBooksIdentities) {
    EXPECT_EQ(simplify(L(12, 3) * L(12, 4)), I(12));
    EXPECT_EQ(simplify(kron({I(2), I(3), DFT(2), I(1)})), kron(I(6), DFT(2)));
    EXPECT_EQ(simplify(product({I(4), product({DFT(4), product({I(4), L(4, 2)})})})), DFT(4) * L(4, 2));
    EXPECT_EQ(simplify(direct_sum({DFT(2), DFT(2), DFT(2)})), kron(I(3), DFT(2)));
    EXPECT_EQ(simplify(kron(I(4), L(6, 2)) * kron(I(4), L(6, 3))), I(24));
}

} // namespace rewriting_rules_test
} // namespace swirl::rules
