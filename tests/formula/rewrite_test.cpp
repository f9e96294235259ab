#include "formula/rewrite.hpp"

#include "formula/print.hpp"

#include "formula/random_terms.hpp"

#include <gtest/gtest.h>

namespace swirl::formula {
namespace rewrite_test {

const RewriteRule drop_identity{.name = "I A → A",
                                .match = product(identity("n"), any("A")),
                                .rewrite = [](const Match& m) { return m["A"]; }};

TEST(Rewrite, KeepsTheNodesOfUnchangedSubtrees) {
    const Formula left = kron(DFT(4), I(2)), right = L(8, 4);
    const Formula term = left * right;
    EXPECT_EQ(rewrite(term, [](const Formula&) { return std::optional<Formula>(); }).node(), term.node());
    const Formula changed = rewrite(term, [](const Formula& f) -> std::optional<Formula> {
        if (f.is<Permutation>()) return I(f.rows());
        return std::nullopt;
    });
    EXPECT_EQ(changed, left * I(8));
    EXPECT_EQ(changed.children()[0].node(), left.node());
}

TEST(Rewrite, SeesOperandsBeforeTheTermItself) {
    std::vector<std::string> seen;
    rewrite(kron(DFT(2), I(3)) * L(6, 2), [&](const Formula& f) {
        seen.push_back(to_text(f));
        return std::optional<Formula>();
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"DFT(2)", "I(3)", "DFT(2) ⊗ I(3)", "L(6, 2)",
                                              "(DFT(2) ⊗ I(3)) · L(6, 2)"}));
}

TEST(APattern, BindsNamesToOperandsAndSizes) {
    const Pattern pattern = kron(any("A"), identity("n"));
    Match match;
    ASSERT_TRUE(pattern.matches(kron({I(3), DFT(2), I(8)}), match));
    EXPECT_EQ(match["A"], kron(I(3), DFT(2)));
    EXPECT_EQ(match.size("n"), 8);
    Match other;
    EXPECT_FALSE(pattern.matches(kron(DFT(2), DFT(8)), other));
    EXPECT_FALSE(pattern.matches(pass(kron(DFT(2), I(8))), other));
    EXPECT_THROW(other["A"], InternalError) << "a failed match leaves no binding";
}

TEST(APattern, WithANameTwiceMatchesOnlyEqualTerms) {
    const Pattern pattern = product(kron(any("A"), identity("k")), kron(any("B"), identity("k")));
    Match match;
    EXPECT_TRUE(pattern.matches(kron(DFT(2), I(4)) * kron(F2(), I(4)), match));
    EXPECT_EQ(match["B"], F2());
    Match other;
    EXPECT_FALSE(pattern.matches(kron(DFT(4), I(2)) * kron(F2(), I(4)), other));
}

TEST(APattern, TriesLongerStretchesWhereShorterOnesFail) {
    const Pattern pattern = kron(any("A"), kron(any("B"), identity("n")));
    Match none;
    EXPECT_FALSE(pattern.matches(kron({DFT(2), DFT(3), I(2)}), none))
        << "nested chains are terms of their own";
    const Pattern same = direct_sum(any("A"), any("A"));
    Match match;
    EXPECT_TRUE(same.matches(direct_sum({DFT(2), I(3), DFT(2), I(3)}), match));
    EXPECT_EQ(match["A"], direct_sum(DFT(2), I(3)));
}

TEST(AChainRule, AppliesToNeighboursAnywhereInALongerChain) {
    RewriteTrace trace;
    const RewriteRule rules[] = {drop_identity};
    EXPECT_EQ(rewrite_to_fixpoint(product({DFT(4), I(4), I(4), L(4, 2), I(4)}), rules, &trace),
              DFT(4) * L(4, 2) * I(4));
    ASSERT_EQ(trace.size(), 2u);
    EXPECT_EQ(trace[0].before, I(4) * I(4));
    EXPECT_EQ(trace[1].before, I(4) * L(4, 2));
    EXPECT_EQ(to_text(trace), "I A → A: I(4) · I(4) → I(4)\nI A → A: I(4) · L(4, 2) → L(4, 2)\n");
}

TEST(RewritingToAFixpoint, FlattensChainsThatItCreates) {
    const RewriteRule split{.name = "DFT_4 → F_2 F_2",
                            .match = term<Dft>("D"),
                            .when = [](const Match& m) { return m.size("D") == 2; },
                            .rewrite = [](const Match&) { return F2() * I(2); }};
    EXPECT_EQ(rewrite_to_fixpoint(L(2, 1) * DFT(2) * I(2), {&split, 1}),
              product({L(2, 1), F2(), I(2), I(2)}));
}

TEST(RewritingToAFixpoint, ReportsNontermination) {
    const RewriteRule circle{.name = "A ⊗ B → B ⊗ A (wrong but tireless)",
                             .match = kron(any("A"), any("B")),
                             .rewrite = [](const Match& m) { return kron(m["B"], m["A"]); }};
    try {
        rewrite_to_fixpoint(kron(DFT(2), DFT(3)), {&circle, 1}, nullptr, 50);
        FAIL() << "no error";
    } catch (const InternalError& error) {
        EXPECT_NE(std::string(error.what()).find("tireless): DFT(2) ⊗ DFT(3) → DFT(3) ⊗ DFT(2)"),
                  std::string::npos)
            << error.what();
    }
}

TEST(ARule, ThatChangesTheShapeIsAnInternalError) {
    const RewriteRule wrong{
        .name = "I_n → I_1", .match = identity("n"), .rewrite = [](const Match&) { return I(1); }};
    EXPECT_THROW(rewrite_to_fixpoint(I(2), {&wrong, 1}), InternalError);
}

} // namespace rewrite_test
} // namespace swirl::formula
