#include "formula/print.hpp"
#include "formula/parse.hpp"

#include "formula/random_terms.hpp"

#include <gtest/gtest.h>

#include <set>

namespace swirl::formula {
namespace print_test {

TEST(Text, OfCooleyTukeyReadsAsInTheBooks) {
    EXPECT_EQ(to_text(kron(DFT(4), I(2)) * T(8, 2) * kron(I(4), DFT(2)) * L(8, 4)),
              "(DFT(4) ⊗ I(2)) · T(8, 2) · (I(4) ⊗ DFT(2)) · L(8, 4)");
    EXPECT_EQ(to_text(pass(kron(DFT(4), I(2)) * L(8, 4))), "pass[(DFT(4) ⊗ I(2)) · L(8, 4)]");
    EXPECT_EQ(to_text(par(2, on_rank(3, F2()) * exchange(J(2)))), "par(2)[rank(3)[F2] · exchange[J(2)]]");
    const Affine i = Affine::of(0);
    EXPECT_EQ(to_text(iterative_sum(0, 4,
                                    scatter(IndexMap::strided(2, 8, i, 4)) * F2() *
                                        gather(IndexMap::strided(2, 8, i * 2 + 0, 1)))),
              "Σ(i0 < 4)[S(h(2 → 8; i0, 4)) · F2 · G(h(2 → 8; 2*i0, 1))]");
}

TEST(Text, ReadsBackToTheSameTermForRandomTerms) {
    std::set<std::size_t> payloads;
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        RandomTerms random(seed);
        const Formula term = random.term();
        const std::string text = to_text(term);
        EXPECT_EQ(parse(text), term) << "seed " << seed << ": " << text;
        EXPECT_EQ(to_text(parse(text)), text) << "seed " << seed;
        const auto visit = [&](auto&& self, const Formula& f) -> void {
            payloads.insert(f.payload().index());
            for (const Formula& child : f.children()) self(self, child);
        };
        visit(visit, term);
    }
    EXPECT_EQ(payloads.size(), std::variant_size_v<Payload>) << "a payload that no random term contains";
}

TEST(Text, OfAConvolutionWhoseSpectrumIsGivenAtExecution) {
    const Formula theorem = DFT(8, Direction::backward) * diagonal(ArgumentFunction{}, 8) * DFT(8);
    EXPECT_EQ(to_text(theorem), "DFT(8, backward) · diag(argument; id(8)) · DFT(8)");
    EXPECT_EQ(parse(to_text(theorem)), theorem);
    EXPECT_EQ(to_text(circulant(8)), "convolution(8)");
    EXPECT_EQ(parse("convolution(8)"), circulant(8));
    EXPECT_EQ(to_text(real_circulant(8)), "rconvolution(8)");
    EXPECT_EQ(parse("rconvolution(8)"), real_circulant(8));
    EXPECT_NE(real_circulant(8), circulant(8));
    for (const char* text : {"diag(argument(8); id(8))", "diag(spectrum(4099)(8640, backward); id(8640))",
                             "diag(chirp(49)^7; id(20))", "diag(w(64, backward)^(i/1%8 * i/8%8)^3; id(64))"})
        EXPECT_EQ(to_text(parse(text)), text);
    EXPECT_NE(circulant(8), circulant(9));
}

TEST(Text, NamesModifiedCosineTransforms) {
    for (const char* text :
         {"MDCT(8)", "IMDCT(2)", "IMDCT(6) · MDCT(6)", "MDCT(4) ⊗ IMDCT(8)", "I(2) ⊕ MDCT(10)"}) {
        EXPECT_EQ(to_text(parse(text)), text);
        EXPECT_EQ(parse(to_text(parse(text))), parse(text));
    }
    EXPECT_EQ(to_text(parse("CZT(10, 4, 1/4, -0.5)")), "CZT(10, 4, 0.25, -0.5)");
    EXPECT_EQ(to_text(parse("WHT(8, sequency) · WHT(8, natural)")), "WHT(8, sequency) · WHT(8)");
}

TEST(Text, ConstantsRoundTripAsLongDouble) {
    RandomTerms random(1);
    for (int trial = 0; trial < 2000; ++trial) {
        const Complex value = random.complex();
        EXPECT_EQ(parse("diag(" + to_text(value) + ")"), diagonal({value})) << to_text(value);
    }
}

TEST(ShortText, LeavesOutMostOfLongListsAndNothingElse) {
    std::vector<Complex> values(1000, 2);
    values[1] = {0, -1};
    std::vector<Integer> table;
    for (Integer k = 0; k < 1000; ++k) table.push_back(k * k % 1000);
    const Formula whole =
        DFT(1000) * diagonal(values) * gather(IndexMap::table(table, 1000)) * circulant(values);
    EXPECT_EQ(to_short_text(whole),
              "DFT(1000) · diag(2, -1i, … 1000 in all) · G(table(0, 1, … 1000 in all)) · "
              "circulant(2, -1i, … 1000 in all)");
    EXPECT_EQ(parse(to_text(whole)), whole);
    const Formula brief = kron(diagonal({1, 2, 3, 4}), I(2)) * L(8, 4);
    EXPECT_EQ(to_short_text(brief), to_text(brief));
}

TEST(Text, ToleratesSpacesAndAsciiSpellings) {
    const Formula expected = kron(DFT(4), I(2)) * T(8, 2) * kron(I(4), DFT(2)) * L(8, 4);
    EXPECT_EQ(parse("(DFT(4)@I(2))*T(8,2)*(I(4)@DFT(2))*L(8,4)"), expected);
    EXPECT_EQ(parse(" ( DFT( 4 ) @ I(2) ) \n * T (8 , 2) * I(4) @ DFT(2) * L(8,4)"), expected);
    EXPECT_EQ(parse("I(2) + F2"), direct_sum(I(2), F2()));
    EXPECT_EQ(parse("pass[tile[I(2) @ F2]]"), pass(tile(kron(I(2), F2()))));
    EXPECT_EQ(parse("par(4)[rank(0)[F2] (+) exchange[L(4, 2)]]"),
              par(4, direct_sum(on_rank(0, F2()), exchange(L(4, 2)))));
    EXPECT_EQ(parse("codelet[F2]"), codelet(F2()));
    EXPECT_EQ(parse("sum(i0 < 2)[S(h(2 -> 4; 2*i0, 1)) * G(h(2 -> 4; i0, 2))]"),
              parse("Σ(i0 < 2)[S(h(2 → 4; 2*i0, 1)) · G(h(2 → 4; i0, 2))]"));
}

TEST(Parentheses, KeepNestingThatIsNotFlat) {
    const Formula nested = product({product({DFT(2), F2()}), I(2)});
    EXPECT_EQ(to_text(nested), "(DFT(2) · F2) · I(2)");
    EXPECT_EQ(parse(to_text(nested)), nested);
    EXPECT_FALSE(parse("DFT(2) · F2 · I(2)") == nested);
}

TEST(ATextError, ShowsPositionAndExpectation) {
    const auto message = [](std::string_view text) -> std::string {
        try {
            parse(text);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message("DFT(4 ⊗ I(2)"),
              "formula, character 7: expected ')', not '⊗'\n  DFT(4 ⊗ I(2)\n        ^");
    EXPECT_EQ(message("(DFT(4) ⊗ I(2)"),
              "formula, character 15: expected ')', but the formula ends here\n  (DFT(4) ⊗ I(2)\n            "
              "    ^");
    const auto says = [&](std::string_view text, const char* what) {
        EXPECT_NE(message(text).find(what), std::string::npos) << text << " gives\n" << message(text);
    };
    says("", "expected a term");
    says("DFT(4) DFT(4)", "character 8: expected an operator or the end, not 'DFT'");
    says("FFT(4)", "unknown term 'FFT'");
    says("DFT(0)", "at least 1");
    says("DFT(99999999999999999999)", "64 bits");
    says("DFT(4) · DFT(2)", "4×4 and a 2×2");
    says("DFT(4, sideways)", "expected 'forward' or 'backward', not 'sideways'");
    says("L(8, 3)", "stride 3");
    says("DCT9(4)", "type 9");
    says("WHT(6)", "power of two");
    says("diag(1, x)", "expected a number");
    says("diag(1+2)", "imaginary part");
    says("diag(1e99999)", "long double");
    says("diag(nan)", "expected");
    says("diag(inf)", "expected");
    says("diag(const(2); id(3))", "constant");
    says("perm(h(4 → 8; 0, 2))", "one to one");
    says("G(h(4 → 8; 0, 3))", "outside its range");
    says("G(q(4))", "expected an index map");
    says("G(digits(9999999999:1, 9999999999:1))", "64 bits");
    says("Σ(j < 4)[I(2)]", "expected a variable");
    says("sum(i0 < 4)(I(2))", "expected '['");
    says(std::string(100000, '('), "nest too deeply");
}

TEST(ATextError, IsTheOnlyThingThatAnyOtherTextCauses) {
    // mutations of valid texts: each parses or throws UserError
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        RandomTerms random(seed);
        std::string text = to_text(random.term(random.size(), random.size(), 2));
        for (int mutation = 0; mutation < 3 && !text.empty(); ++mutation) {
            const auto at = static_cast<std::size_t>(random.below(static_cast<Integer>(text.size())));
            if (random.below(2) == 0)
                text.erase(at, 1);
            else
                text[at] = "()[];,:0123456789-+*iIhw@<"[random.below(26)];
        }
        try {
            parse(text);
        } catch (const UserError&) {
        } catch (const std::exception& error) {
            ADD_FAILURE() << "seed " << seed << ": " << text << "\n" << error.what();
        }
    }
}

TEST(Latex, OfCooleyTukeyIsTheBooks) {
    EXPECT_EQ(to_latex(kron(DFT(4), I(2)) * T(8, 2) * kron(I(4), DFT(2)) * L(8, 4)),
              "\\left(\\mathrm{DFT}_{4} \\otimes I_{2}\\right)\\, T^{8}_{2}\\, \\left(I_{4} \\otimes "
              "\\mathrm{DFT}_{2}\\right)\\, L^{8}_{4}");
}

TEST(Latex, HasBalancedBracesForRandomTerms) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const std::string text = to_latex(RandomTerms(seed).term());
        int depth = 0;
        for (const char c : text) {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            ASSERT_GE(depth, 0) << text;
        }
        EXPECT_EQ(depth, 0) << text;
    }
}

} // namespace print_test
} // namespace swirl::formula
