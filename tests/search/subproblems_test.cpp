#include "search/candidates/cpu/subproblems.hpp"

#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "search/candidates/cpu/proposals.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace subproblems_test {

std::vector<std::string> parts_by(const char* whole, std::string_view rule, const rules::Choice& choice) {
    const Transform problem = swirl::problem(whole);
    std::vector<std::string> texts;
    for (const Subproblem& subproblem :
         subproblems_of(problem, planning::dimension_passes(problem).at(0), rule, choice))
        texts.push_back(subproblem.problem ? to_text(*subproblem.problem) : "none");
    return texts;
}

using Texts = std::vector<std::string>;

TEST(Subproblems, KeepTheirStridesAndBatches) {
    EXPECT_EQ(parts_by("dft 131072", "two-sweep", {256, 32, 16}),
              (Texts{"dft 512 in=16 out=256 batch=16:1", "dft 256 in=512 batch=32:(1,256)"}))
        << "a block of rows, a tile of columns";
    EXPECT_EQ(parts_by("dft 65536", "two-sweep", {256, 32, 16}).size(), 1U)
        << "rows and columns share a tree";
    EXPECT_EQ(parts_by("dft 257 float32", "rader", {}),
              (Texts{"dft 256 float32 planar", "dft 256 float32 planar"}));
    EXPECT_EQ(parts_by("dft 67 batch=10", "bluestein", {144}),
              (Texts{"dft 144 planar batch=10", "dft 144 planar batch=10"}));
    EXPECT_EQ(parts_by("rdft 1000", "rdft-half-size", {}), (Texts{"dft 500"}));
    EXPECT_EQ(parts_by("dft 134", "stockham", {67, 2}).back(), "dft 67 planar strides=2 batch=2:1");
    EXPECT_EQ(parts_by("dft 16x32", "row-column", {}),
              (Texts{"dft 16 strides=32 batch=32:1", "dft 32 batch=16"}));
    EXPECT_EQ(parts_by("dct2 24", "dct2-rdft", {}), (Texts{"rdft 24"}));
}

TEST(Subproblems, OfEveryBreakdownCanBeComputedInOneStage) {
    for (const char* text : {"dft 24",          "dft 61",
                             "rdft 24",         "rdft 24 backward",
                             "rdft 15 batch=3", "dct2 12",
                             "dct3 12",         "dct4 12",
                             "dct4 15",         "dct1 17",
                             "dct1 12",         "dst1 15",
                             "dst1 12",         "dht 12",
                             "r2hc 12",         "hc2r 15",
                             "dst2 9",          "dst4 8",
                             "wht 32",          "dft 4x6 batch=2",
                             "dft 36 planar",   "dft 12 strides=3 batch=3:1"}) {
        const Transform whole = problem(text);
        const planning::DimensionPass pass = planning::dimension_passes(whole).at(0);
        for (const Candidate& candidate : all_breakdowns(pass)) {
            if (candidate.tree.rule.empty()) continue;
            const auto subproblems = subproblems_of(whole, pass, candidate.tree.rule, candidate.tree.choice);
            EXPECT_EQ(subproblems.size(),
                      children_of(candidate.tree.rule, candidate.tree.choice, pass.nonterminal).size());
            for (const Subproblem& subproblem : subproblems) {
                ASSERT_TRUE(subproblem.problem) << text << " by " << rules::to_string(candidate.tree);
                EXPECT_EQ(planning::dimension_passes(*subproblem.problem).size(), 1U)
                    << to_text(*subproblem.problem);
            }
        }
    }
}

TEST(Subproblems, SayHowOftenTheyRun) {
    const Transform whole = problem("dft 131072");
    const auto subproblems =
        subproblems_of(whole, planning::dimension_passes(whole).at(0), "two-sweep", {256, 32, 16});
    EXPECT_EQ(subproblems[0].times, 16) << "blocks of 16 of the 256 rows";
    EXPECT_EQ(subproblems[1].times, 16) << "tiles of 32 of the 512 columns";
}

TEST(Subproblems, BandsSplitIntoRowsAndColumns) {
    const Transform whole = problem("dft 1024x2048");
    const auto subproblems = subproblems_of(whole, planning::dimension_passes(whole).at(0), "bands", {8});
    Texts texts;
    for (const Subproblem& subproblem : subproblems)
        texts.push_back(subproblem.problem ? to_text(*subproblem.problem) : "none");
    EXPECT_EQ(texts, (Texts{"dft 128 in=2048 out=16384 batch=2048:1", "dft 8 strides=2048 batch=2048:1",
                            "dft 2048 batch=1024"}));
    EXPECT_EQ(subproblems[0].times, 8);
    EXPECT_EQ(subproblems[1].times, 128);
}

Texts passes_of(const char* whole) {
    const Transform problem = swirl::problem(whole);
    Texts texts;
    for (const planning::DimensionPass& pass : planning::dimension_passes(problem)) {
        const auto subproblem = problem_of(problem, pass);
        texts.push_back(subproblem ? to_text(*subproblem) : "none");
    }
    return texts;
}

TEST(Subproblems, OfSeveralDimensionsAreTheirStages) {
    EXPECT_EQ(passes_of("dft 1024x2048"), Texts{"dft 1024x2048"}) << "in bands";
    EXPECT_EQ(passes_of("dft 1021x2048"),
              (Texts{"dft 2048 batch=1021", "dft 1021 inplace strides=2048 batch=2048:1"}));
    EXPECT_EQ(passes_of("rdft 8x12"), (Texts{"rdft 12 batch=8", "dft 8 inplace strides=7 batch=7:1"}));
    EXPECT_EQ(passes_of("rdft 8x12 backward").back(), "rdft 12 backward batch=8");
    EXPECT_EQ(passes_of("dct2 8x12"), (Texts{"dct2 12 batch=8", "dct2 8 inplace strides=12 batch=12:1"}));
    EXPECT_EQ(passes_of("dct2,r2hc,hc2r 4x8x6"),
              (Texts{"hc2r 6 batch=32", "r2hc 8 inplace strides=6 batch=4x6:1",
                     "dct2 4 inplace strides=48 batch=48:1"}));
    for (const char* text : {"rdft 6x10 inplace", "rdft 6x10 backward inplace", "rdft 4x6x10 planar batch=3",
                             "wht 8x16 float32"})
        for (const std::string& pass : passes_of(text)) EXPECT_NE(pass, "none") << text;
}

} // namespace subproblems_test
} // namespace swirl::search
