// The tags that the passes place, in the text of loop programs.

#include "loops/passes.hpp"

#include "rules/building_blocks.hpp"
#include "rules/rule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace swirl::loops {
namespace passes_test {

using namespace formula;

Request request_for(const Formula& formula, int lanes, bool pairs = false) {
    return {.formula = formula,
            .input = Layout::contiguous(formula.columns()),
            .output = Layout::contiguous(formula.rows()),
            .lanes = lanes,
            .pairs = pairs};
}

Formula expanded(Integer n, const char* tree) { return rules::expand(DFT(n), rules::parse_tree(tree)); }

/// The lines that open loops.
std::vector<std::string> loops_of(const Request& request) {
    const std::string text = to_text(loops_for_cpu(request));
    std::vector<std::string> loops;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        const std::size_t word = text.find_first_not_of(' ', begin);
        if (text.compare(word, 4, "for ") == 0) loops.push_back(text.substr(word, end - word));
        begin = end + 1;
    }
    return loops;
}

using Lines = std::vector<std::string>;

TEST(LoopsForCpus, OfCooleyTukeyHaveTheirTags) {
    EXPECT_EQ(to_text(loops_for_cpu(request_for(expanded(8, "cooley-tukey(2,4)"), 4))),
              "input: 8 entries from 0, interleaved\n"
              "output: 8 entries from 0, interleaved\n"
              "workspace_0: 8 entries from 0, planar\n"
              "for i0 < 2 unrolled vec(4):\n"
              "  workspace_0[4·i0; 4·i0 + 1; …; 4·i0 + 3] = DFT(4) input[2·i0; 2·i0 + 4; …; 2·i0 + 12]\n"
              "for i1 < 4 unrolled vec(4):\n"
              "  output[2·i1; 2·i1 + 8] = DFT(2) workspace_0[i1; i1 + 4, scaled]\n");
}

/// n points of neighbouring transforms: entry j of transform b is at count·j + b.
std::vector<std::string> loops_of_neighbours(Integer n, const char* tree, Integer count, int lanes,
                                             DataType scalar) {
    Request request = request_for(kron(expanded(n, tree), I(count)), lanes);
    request.scalar = scalar;
    return loops_of(request);
}

TEST(VectorTags, AreOnNeighbouringTransformsWhoseLinesWouldBeFetchedAgain) {
    EXPECT_EQ(
        loops_of_neighbours(1176, "stockham(42,28)", 4, 8, DataType::float64),
        (Lines{"for i0 < 4 smp vec(8):", "for i1 < 28 smp:", "for i0 < 4 smp vec(8):", "for i2 < 42 smp:"}))
        << "75 KB: lanes along the entries would fetch each line four times";
}

TEST(VectorTags, AreOnNeighbouringTransformsThatNearlyFillVectors) {
    const auto lanes_along_transforms = [](Integer count) {
        const auto loops = loops_of_neighbours(100, "stockham(10,10)", count, 16, DataType::float32);
        return std::count(loops.begin(), loops.end(), fmt::format("for i0 < {} smp vec(16):", count)) == 2;
    };
    for (const Integer count : {6, 7, 8, 16}) EXPECT_TRUE(lanes_along_transforms(count)) << count;
    for (const Integer count : {2, 3, 4, 5}) EXPECT_FALSE(lanes_along_transforms(count)) << count;
}

TEST(BufferedTransforms, AreCopiedByWholeRows) {
    Request request = request_for(kron(tile(expanded(64, "stockham(8,8)")), I(4)), 8);
    const std::string text = to_text(loops_for_cpu(request));
    EXPECT_NE(text.find("= I(4) input["), std::string::npos) << text;
    EXPECT_NE(text.find("= I(4) workspace"), std::string::npos) << text;
}

TEST(SmpTags, AreOnIndependentLoopsAtTheTop) {
    EXPECT_EQ(loops_of(request_for(expanded(4096, "stockham(16,16,16)"), 1)),
              (Lines{"for i0 < 256 smp:", "for i2 < 16 smp:", "for i1 < 16 smp:", "for i3 < 256 smp:"}));
    const Formula row = expanded(64, "stockham(8,8)");
    EXPECT_EQ(loops_of(request_for(kron(I(50), row), 1)),
              (Lines{"for i0 < 50 smp:", "for i1 < 8:", "for i2 < 8:"}))
        << "a batch: its loops share memory, so one thread runs all";
    EXPECT_TRUE(loops_of(request_for(DFT(8), 1)).empty());
}

TEST(VectorTags, GoToOneLoopOfACall) {
    for (const std::string& loop : loops_of(request_for(expanded(4096, "stockham(64,64)"), 8)))
        EXPECT_NE(loop.find("smp vec(8)"), std::string::npos) << loop;
    for (const std::string& loop : loops_of(request_for(expanded(4096, "stockham(64,64)"), 1)))
        EXPECT_EQ(loop.find("vec"), std::string::npos) << loop;
}

TEST(OverlappingVectors, ReplaceShortOnesInLoopsThatAllowIt) {
    Request request = request_for(expanded(1050, "stockham(25,42)"), 8);
    request.scalar = DataType::float32; // so that no pass works in place
    EXPECT_EQ(loops_of(request), (Lines{"for i0 < 42 smp vec(8):", "for i1 < 25 smp vec(8):"}));
    request.overlap_vectors = true;
    EXPECT_EQ(loops_of(request),
              (Lines{"for i0 < 42 vec(8) overlapping:", "for i1 < 25 vec(8) overlapping:"}));
    request.formula = expanded(4096, "stockham(64,64)");
    request.input = request.output = Layout::contiguous(4096);
    for (const std::string& loop : loops_of(request))
        EXPECT_EQ(loop.find("overlapping"), std::string::npos) << "no vector is short: " << loop;
    request = request_for(expanded(350, "stockham(14,25)"), 16);
    request.overlap_vectors = true;
    EXPECT_EQ(loops_of(request)[0].find("overlapping"), std::string::npos) << "no loop over one vector";
    request = request_for(DFT(8), 4);
    request.formula = kron(DFT(8), I(99));
    request.input = request.output = Layout::contiguous(792);
    request.overlap_vectors = request.in_place = true;
    EXPECT_EQ(loops_of(request)[0].find("overlapping"), std::string::npos) << "it writes what it reads";
    request.in_place = false;
    EXPECT_NE(loops_of(request)[0].find("overlapping"), std::string::npos);
    request.streaming_bytes = 8000;
    EXPECT_EQ(loops_of(request)[0].find("overlapping"), std::string::npos) << "stores bypass the caches";
}

TEST(PairTags, MakeSmallKernelsStraightLineCodeOfComplexVectors) {
    const Request small = request_for(expanded(16, "stockham(4,4)"), 8, true);
    EXPECT_EQ(loops_for_cpu(small).pairs, 4);
    for (const std::string& loop : loops_of(small))
        EXPECT_NE(loop.find("unrolled vec(4)"), std::string::npos);
    EXPECT_EQ(loops_for_cpu(request_for(expanded(4096, "stockham(64,64)"), 8, true)).pairs, 0) << "too large";
    EXPECT_EQ(loops_for_cpu(request_for(expanded(16, "stockham(4,4)"), 8)).pairs, 0) << "not asked for";
}

TEST(PairTags, NeedTheSameFactorsInAllIterationsAround) {
    const Formula transform = expanded(16, "stockham(4,4)");
    const auto pairs_of = [](const Formula& f) { return loops_for_cpu(request_for(f, 8, true)).pairs; };
    EXPECT_EQ(pairs_of(kron(I(3), transform * T(16, 4))), 4);
    EXPECT_EQ(pairs_of(kron(I(3), transform) * diagonal(ConstantFunction{2}, IndexMap::identity(48))), 4);
    EXPECT_EQ(pairs_of(kron(I(3), transform) * T(48, 16)), 0);
    EXPECT_EQ(pairs_of(T(48, 16) * kron(I(3), transform)), 0);
}

/// A real transform by one of half the size, its results as pairs.
Request half_size_request(Integer n, const char* half, int lanes) {
    const Formula transform =
        product({scatter(rules::indices_in_pairs(n)), rules::expand(RDFT(n), rules::parse_tree(half))});
    Request request = request_for(transform, lanes, true);
    request.complex = false;
    return request;
}

TEST(PairTags, AreOnRealTransformsOfHalfTheSize) {
    const Request request = half_size_request(64, "rdft-half-size[stockham(8,4)]", 16);
    EXPECT_EQ(loops_for_cpu(request).pairs, 8);
    const std::string text = to_text(loops_for_cpu(request));
    EXPECT_NE(text.find("workspace_1[2·i8 + 2; -2·i8 + 62, conjugated]"), std::string::npos)
        << "components are side by side, from both ends: " << text;
    EXPECT_EQ(loops_for_cpu(half_size_request(64, "rdft-half-size[stockham(8,4)]", 4)).pairs, 0)
        << "vectors of two complex elements";
    EXPECT_EQ(loops_for_cpu(half_size_request(64, "rdft-stockham(8,8)", 16)).pairs, 0)
        << "real butterflies are no complex ones";
}

TEST(PortableLoops, HaveNoTags) {
    for (const Formula& f : {kron(I(50), expanded(64, "stockham(8,8)")), expanded(16, "stockham(4,4)")}) {
        const std::string text = to_text(portable_loops(request_for(f, 4)));
        for (const char* tag : {"vec", "smp", "unrolled"})
            EXPECT_EQ(text.find(tag), std::string::npos) << text;
    }
}

TEST(PairTags, AreOnCallbacksThatTakePairs) {
    Request request = request_for(expanded(16, "stockham(4,4)"), 8, true);
    request.input.forms = {{{{1}, 0}}};
    EXPECT_EQ(loops_for_cpu(request).pairs, 0);
    request.pairs_at_callbacks = true;
    EXPECT_EQ(loops_for_cpu(request).pairs, 4);
}

} // namespace passes_test
} // namespace swirl::loops
