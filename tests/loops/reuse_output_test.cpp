// Which temporaries the array of results holds, in the text of loop programs; and that results are the same.

#include "loops/reuse_output.hpp"

#include "loops/build.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

namespace swirl::loops {
namespace reuse_output_test {

using namespace formula;

Formula expanded(Integer n, const char* tree) { return rules::expand(DFT(n), rules::parse_tree(tree)); }

Request request_for(const Formula& formula) {
    return {.formula = formula,
            .input = Layout::contiguous(formula.columns()),
            .output = Layout::contiguous(formula.rows()),
            .lanes = 8,
            .cache_bytes = 1 << 20,
            .streaming_bytes = 4 << 20};
}

LoopProgram reused(const Request& request) {
    LoopProgram program = build(request);
    reuse_output(program, request);
    return program;
}

/// The program's first lines, one for each array.
std::string arrays_of(const LoopProgram& program) {
    const std::string text = to_text(program);
    return text.substr(0, text.find("for "));
}

bool is_unchanged_by_reuse(const Request& request) {
    return to_text(reused(request)) == to_text(build(request));
}

const Formula& matrix_of_two_dimensions() {
    static const Formula formula = kron(expanded(100, "stockham(10,10)"), expanded(512, "stockham(32,16)"));
    return formula;
}

TEST(ReusedOutput, ReplacesRowsByColumns) {
    EXPECT_EQ(arrays_of(reused(request_for(matrix_of_two_dimensions()))),
              "input: 51200 entries from 0, interleaved\n"
              "output: 51200 entries from 0, interleaved\n"
              "workspace_1: 3200 entries from 0, planar, per iteration\n");
}

TEST(ReusedOutput, ReplacesTheInputInPlace) {
    Request request = request_for(matrix_of_two_dimensions());
    request.in_place = true;
    EXPECT_EQ(arrays_of(reused(request)),
              "data: 51200 entries from 0, interleaved\n"
              "workspace_1: 3200 entries from 0, planar, per iteration\n");
}

TEST(ReusedOutput, IsWhatTheLastOfTwoPassesReads) {
    EXPECT_EQ(
        to_text(reused(request_for(expanded(2400, "stockham(60,40)")))),
        "input: 2400 entries from 0, interleaved\n"
        "output: 2400 entries from 0, interleaved\n"
        "for i0 < 40:\n"
        "  output[120·i0; 120·i0 + 2; …; 120·i0 + 118] = DFT(60) input[2·i0; 2·i0 + 80; …; 2·i0 + 4720]\n"
        "for i1 < 60:\n"
        "  output[2·i1; 2·i1 + 120; …; 2·i1 + 4680] = DFT(40) output[2·i1; 2·i1 + 120, scaled; …; "
        "2·i1 + 4680, scaled]\n");
}

TEST(ReusedOutput, HoldsWhatIsReadBeforeTheLastPass) {
    EXPECT_EQ(
        to_text(reused(request_for(expanded(27000, "stockham(30,30,30)")))),
        "input: 27000 entries from 0, interleaved\n"
        "output: 27000 entries from 0, interleaved\n"
        "workspace_1: 27000 entries from 0, planar\n"
        "for i0 < 900:\n"
        "  output[30·i0; 30·i0 + 1; …; 30·i0 + 29] = DFT(30) input[2·i0; 2·i0 + 1800; …; 2·i0 + 52200]\n"
        "for i2 < 30:\n"
        "  for i1 < 30:\n"
        "    workspace_1[i1 + 900·i2; i1 + 900·i2 + 30; …; i1 + 900·i2 + 870] = DFT(30) output[i1 + 30·i2; "
        "i1 + 30·i2 + 900, scaled; …; i1 + 30·i2 + 26100, scaled]\n"
        "for i3 < 900:\n"
        "  output[2·i3; 2·i3 + 1800; …; 2·i3 + 52200] = DFT(30) workspace_1[i3; i3 + 900, scaled; …; i3 + "
        "26100, scaled]\n");
    Request in_place = request_for(expanded(27000, "stockham(30,30,30)"));
    in_place.in_place = true;
    EXPECT_EQ(arrays_of(reused(in_place)),
              "data: 27000 entries from 0, interleaved\n"
              "workspace_0: 27000 entries from 0, planar\n")
        << "the second pass begins after the last read of the input, and the third replaces entries";
    Request split = request_for(expanded(27000, "stockham(30,30,30)"));
    split.output_split_complex = true;
    EXPECT_NE(to_text(reused(split)).find("output[60·i0; 60·i0 + 2; …; 60·i0 + 58] = DFT(30) input"),
              std::string::npos)
        << "real and imaginary components stay in the arrays of their own";
}

TEST(ReusedOutput, NeedsResultsInAllOfItsArray) {
    Request request = request_for(expanded(2400, "stockham(60,40)"));
    request.output = Layout{{2400}, {2}};
    EXPECT_TRUE(is_unchanged_by_reuse(request)) << "gaps are the caller's";
}

TEST(ReusedOutput, NeedsResultsInTheDataTypeOfTheArithmetic) {
    Request request = request_for(expanded(2400, "stockham(60,40)"));
    ASSERT_FALSE(is_unchanged_by_reuse(request));
    request.output_converted = true;
    EXPECT_TRUE(is_unchanged_by_reuse(request))
        << "a temporary in float16 is rounded, and infinite beyond 65504";
}

TEST(ReusedOutput, NeedsArraysThatCompeteForACache) {
    EXPECT_TRUE(is_unchanged_by_reuse(request_for(expanded(600, "stockham(30,20)")))) << "all are near";
    Request request = request_for(kron(expanded(64, "stockham(8,8)"), expanded(128, "stockham(16,8)")));
    EXPECT_TRUE(is_unchanged_by_reuse(request))
        << "neither two nor three are near, and three are in the core's own";
    request.cache_bytes = 256 << 10;
    EXPECT_FALSE(is_unchanged_by_reuse(request));
    request.streaming_bytes = 64 << 10;
    EXPECT_TRUE(is_unchanged_by_reuse(request)) << "stores bypass the caches";
}

TEST(ReusedOutput, StaysApartFromWhatIsReadLater) {
    // Rows of the second factor's blocks are stored elsewhere than they are read.
    const Formula two_sweeps = expanded(65536, "two-sweep(256,16,32)[stockham(16,16)]");
    EXPECT_TRUE(is_unchanged_by_reuse(request_for(two_sweeps)));
    // A copy stores entries elsewhere in their rows than where it reads them.
    const Formula permuted = product({kron(I(100), L(512, 32)), matrix_of_two_dimensions()});
    EXPECT_NE(arrays_of(reused(request_for(permuted))).find("workspace_0: 51200 entries"), std::string::npos);
}

} // namespace reuse_output_test
} // namespace swirl::loops
