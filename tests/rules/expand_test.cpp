#include "rules/reference.hpp"
#include "rules/rule.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace swirl::rules {
namespace expand_test {

using formula::DFT;
using formula::I;
using formula::RDFT;
using formula::WHT;

constexpr long double tolerance = 64 * std::numeric_limits<long double>::epsilon();

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Nonterminals, AreDistinctAndInOrderOfFirstAppearance) {
    const Formula f = kron(DFT(4), I(6)) * kron(I(2), kron(DFT(3), DFT(4))) * kron(I(12), DFT(2));
    EXPECT_EQ(nonterminals(f), (std::vector<Formula>{DFT(4), DFT(3), DFT(2)}));
    EXPECT_EQ(nonterminals(DFT(8)), std::vector<Formula>{DFT(8)});
    EXPECT_TRUE(nonterminals(formula::F2()).empty());
}

TEST(Expand, LeavesACodeletWhole) { EXPECT_EQ(expand(DFT(32), {}), DFT(32)); }

TEST(Expand, AppliesTheChoicesOfTheTree) {
    const Formula expanded = expand(DFT(8), parse_tree("cooley-tukey(4,2)[cooley-tukey(2,2)]"));
    EXPECT_EQ(nonterminals(expanded), std::vector<Formula>{DFT(2)});
    EXPECT_LT(reference::relative_error(formula::dense(expanded), reference::dense(DFT(8))), tolerance);
}

TEST(Expand, TakesTheFirstChoiceWhereTheTreeNamesNone) {
    const BreakdownRule& rule = rule_named("cooley-tukey");
    EXPECT_EQ(expand(DFT(24), parse_tree("cooley-tukey")),
              rule.build(DFT(24), rule.choices(DFT(24)).front()));
}

TEST(Expand, BreaksMultidimensionalTransformsDownByRowsAndColumns) {
    const Formula transform = formula::kron(DFT(4, Direction::backward), DFT(6, Direction::backward));
    const Formula expanded = expand(transform, parse_tree("row-column(1,0)[split-radix, good-thomas(2,3)]"));
    EXPECT_EQ(nonterminals(expanded),
              (std::vector<Formula>{DFT(2, Direction::backward), DFT(3, Direction::backward)}));
    EXPECT_LT(reference::relative_error(formula::dense(expanded), reference::dense(transform)), tolerance);
}

TEST(Expand, ReportsRuleAndReason) {
    const std::string message = error_of([] { expand(DFT(13), parse_tree("cooley-tukey")); });
    EXPECT_TRUE(contains(message, "cooley-tukey")) << message;
    EXPECT_TRUE(contains(message, "DFT_13")) << message;
    EXPECT_TRUE(contains(message, "13 has no two factors")) << message;
    EXPECT_TRUE(contains(error_of([] { expand(WHT(8), parse_tree("split-radix")); }), "not a DFT"));
    EXPECT_TRUE(contains(error_of([] { expand(RDFT(9), parse_tree("rdft-half-size")); }), "9 is odd"));
    EXPECT_TRUE(contains(error_of([] { expand(DFT(8), parse_tree("cooley-tukey(4,2)[rader]")); }), "DFT_4"));
}

TEST(Expand, SaysWhatWouldWorkWhereAChoiceIsWrong) {
    const auto message = [](Integer n, std::string_view tree) {
        return error_of([&] { expand(DFT(n), parse_tree(tree)); });
    };
    EXPECT_TRUE(contains(message(8, "cooley-tukey(4,3)"), "two factors above 1 of product 8"));
    EXPECT_TRUE(contains(message(8, "cooley-tukey(8)"), "two factors above 1 of product 8"));
    EXPECT_TRUE(contains(message(8, "cooley-tukey(-2,-4)"), "two factors above 1 of product 8"));
    EXPECT_TRUE(contains(message(12, "good-thomas(2,6)"), "coprime"));
    EXPECT_TRUE(contains(message(12, "stockham(4,4)"), "radices above 1 of product 12"));
    EXPECT_TRUE(contains(message(12, "stockham(12,1)"), "radices above 1 of product 12"));
    EXPECT_TRUE(contains(message(12, "stockham(4611686018427387904,4,3)"), "radices above 1 of product 12"));
    EXPECT_TRUE(contains(message(12, "bluestein(21)"), "at least 22"));
    EXPECT_TRUE(contains(message(12, "bluestein(99999999999)"), "at most 48"));
    EXPECT_TRUE(contains(message(11, "rader-real(3)"), "expected 1"));
    EXPECT_TRUE(
        contains(error_of([] { expand(formula::kron(DFT(2), DFT(3)), parse_tree("row-column(0,0)")); }),
                 "dimensions 0…1"));
}

TEST(Expand, RejectsMoreChildrenThanTheFormulaHasTransforms) {
    const std::string message =
        error_of([] { expand(DFT(16), parse_tree("cooley-tukey(4,4)[split-radix, split-radix]")); });
    EXPECT_TRUE(contains(message, "1 different transforms")) << message;
    EXPECT_FALSE(error_of([] { expand(DFT(16), {"", {}, {BreakdownTree{}}}); }).empty());
    EXPECT_TRUE(contains(error_of([] { expand(DFT(4), parse_tree("colley-tukey")); }), "no breakdown rule"));
}

TEST(BreakdownTreeText, RoundTrips) {
    for (const std::string_view text :
         {"codelet", "split-radix", "stockham(32,32)", "cooley-tukey(3,5)[dft-base, rader[split-radix]]",
          "cooley-tukey(3,5)[codelet, rader]",
          "row-column(1,0)[stockham(8,8)[split-radix], bluestein(27)]"}) {
        const BreakdownTree tree = parse_tree(text);
        EXPECT_EQ(to_string(tree), text);
        EXPECT_EQ(parse_tree(to_string(tree)), tree);
    }
}

TEST(BreakdownTreeText, OmitsTrailingCodeletsAndReadsSpaces) {
    EXPECT_EQ(to_string(parse_tree(" stockham ( 32 , 32 ) [ codelet , codelet ] ")), "stockham(32,32)");
    EXPECT_EQ(parse_tree("stockham(32,32)[codelet]"), (BreakdownTree{"stockham", {32, 32}, {}}));
    EXPECT_EQ(to_string({"stockham", {4, 2}, {BreakdownTree{}, BreakdownTree{}}}), "stockham(4,2)");
}

TEST(BreakdownTreeText, ErrorsShowPositionAndExpectation) {
    const auto message = [](std::string_view text) { return error_of([&] { parse_tree(text); }); };
    EXPECT_TRUE(contains(message(""), "character 1: expected the name of a rule"));
    EXPECT_TRUE(contains(message("stockham(32,"), "character 13: expected an integer"));
    EXPECT_TRUE(contains(message("stockham(32;32)"), "character 12: expected \",\" or \")\""));
    EXPECT_TRUE(contains(message("rader[codelet"), "expected \",\" or \"]\""));
    EXPECT_TRUE(contains(message("rader]"), "character 6: expected the end"));
    EXPECT_TRUE(contains(message("stockham(99999999999999999999)"), "expected an integer"));
}

// The exact form that lower/ merges into loop nests.
TEST(BreakdownTreeText, NestsOnlySoDeep) {
    const auto nested = [](int rules) {
        std::string text;
        for (int k = 1; k < rules; ++k) text += "rader[";
        return text + "rader" + std::string(static_cast<std::size_t>(rules - 1), ']');
    };
    EXPECT_EQ(to_string(parse_tree(nested(64))), nested(64));
    EXPECT_THROW(parse_tree(nested(65)), UserError);
    EXPECT_THROW(parse_tree(nested(1000000)), UserError);
}

TEST(Stockham, PassesAreAPermutationAfterButterfliesAfterTwiddles) {
    const Formula f = rule_named("stockham").build(DFT(24), {2, 3, 4});
    ASSERT_TRUE(f.is<formula::Product>());
    ASSERT_EQ(f.children().size(), 3U);
    const auto expected = [](Integer before, Integer radix, Integer after) {
        using namespace formula;
        const Integer n = before * radix * after;
        std::vector<Formula> butterflies{DFT(radix)};
        if (after > 1) butterflies.push_back(I(after));
        if (before > 1) butterflies.push_back(I(before));
        std::vector<Formula> factors;
        if (after > 1)
            factors.push_back(permutation(
                IndexMap(n, n, DigitMap{{after, radix, before}, {before, after * before, 1}, 0, 0})));
        factors.push_back(kron(butterflies));
        if (before > 1)
            factors.push_back(diagonal(
                TwiddleFunction{radix * before, {after * before, radix}, {1, before}, Direction::forward},
                n));
        return pass(product(factors));
    };
    EXPECT_EQ(f.children()[2], expected(1, 2, 12));
    EXPECT_EQ(f.children()[1], expected(2, 3, 4));
    EXPECT_EQ(f.children()[0], expected(6, 4, 1));
}

TEST(Stockham, OffersFewBalancedPassesFirst) {
    const auto choices = [](Integer n) { return rule_named("stockham").choices(DFT(n)); };
    EXPECT_EQ(choices(16).front(), Choice{16});
    EXPECT_EQ(choices(1024).front(), (Choice{32, 32}));
    EXPECT_EQ(choices(4096).front(), (Choice{64, 64}));
    EXPECT_EQ(choices(Integer{1} << 20).front(), (Choice{32, 32, 32, 32}));
    for (const Integer n : {Integer{1} << 40, Integer{2 * 3 * 5 * 7} * 11 * 13 * 17 * 19 * 23 * 29 * 31})
        EXPECT_LE(choices(n).size(), 64U);
}

TEST(Stockham, TakesLargePrimesAsExplicitRadices) {
    EXPECT_EQ(rule_named("stockham").applicable(DFT(74)).reason(), "the prime factor 37 of 74 is above 31");
    const Formula expanded = expand(DFT(74), parse_tree("stockham(2,37)[rader, dft-base]"));
    EXPECT_EQ(nonterminals(expanded), (std::vector<Formula>{DFT(36, Direction::backward), DFT(36)}));
    EXPECT_LT(reference::relative_error(formula::dense(expanded), reference::dense(DFT(74))), tolerance);
}

/// A tree of cheap rules for sizes whose dense matrix is out of reach.
BreakdownTree tree_for(Integer n) {
    if (n <= 64) return {};
    for (Integer m = 64; m > 1; --m)
        if (n % m == 0) return {"cooley-tukey", {m, n / m}, {{}, tree_for(n / m)}};
    return {"rader", {}, {tree_for(n - 1), tree_for(n - 1)}};
}

TEST(Rader, IsAccurateForLargePrimes) {
    // The spectrum of an impulse is a sequence of roots of unity.
    for (const Integer p : {12289, 65537}) {
        const Formula expanded = expand(DFT(p), tree_for(p));
        std::vector<formula::Complex> x(static_cast<std::size_t>(p)), expected;
        const Integer shift = p / 3;
        x[static_cast<std::size_t>(shift)] = 1;
        for (Integer k = 0; k < p; ++k) expected.push_back(reference::root(-k * shift, p));
        EXPECT_LT(reference::relative_error(formula::apply(expanded, x), expected), tolerance) << p;
    }
}

TEST(Bluestein, IsAccurateForLargeSizes) {
    const Integer n = 10007;
    const BreakdownTree power_of_two = tree_for(32768);
    const Formula expanded = expand(DFT(n), {"bluestein", {32768}, {power_of_two, power_of_two}});
    std::vector<formula::Complex> x(static_cast<std::size_t>(n)), expected;
    x[5] = 1;
    for (Integer k = 0; k < n; ++k) expected.push_back(reference::root(-5 * k, n));
    EXPECT_LT(reference::relative_error(formula::apply(expanded, x), expected), tolerance);
}

} // namespace expand_test
} // namespace swirl::rules
