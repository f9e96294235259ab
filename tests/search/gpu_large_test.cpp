#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/large_trees.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"

#include <gtest/gtest.h>

#include <string>

/// Transforms of all kinds whose vectors no block holds.
namespace swirl::search {
namespace gpu_large_test {

using support::prove;

/// Of which a block has 48 KiB.
const target::Gpu& small_gpu() { return target::gpu_named("generic"); }

/// Proves the choice for a problem, and returns it as text.
std::string proved(const std::string& text) {
    const planning::Schedule schedule = gpu_schedule(swirl::problem(text), small_gpu());
    prove(text, schedule);
    return to_string(schedule);
}

void expect_starts_with(const std::string& schedule, const std::string& beginning) {
    EXPECT_EQ(schedule.substr(0, beginning.size()), beginning) << schedule;
}

TEST(TransformsBeyondABlock, OfRealsOfOddLengthAreComplexOnes) {
    for (const char* more : {"", " batch=2", " backward batch=2", " backward inplace", " planar",
                             " backward planar batch=2", " scale=0.5"})
        expect_starts_with(proved(std::string("rdft 6561") + more), "generic: 0 rdft-embedding[two-sweep(");
    expect_starts_with(proved("rdft 14641 float32 batch=2"), "generic: 0 rdft-embedding[two-sweep(");
    proved("rdft 3x6561");
    proved("rdft 6561x3 float32");
}

TEST(TransformsBeyondABlock, OfLargePrimesAreSweptConvolutions) {
    for (const char* more : {"", " backward batch=2", " inplace float32 batch=2"})
        expect_starts_with(proved(std::string("rdft 10007") + more), "generic: 0 rdft-embedding[bluestein(");
    // One block moves numbers whose count no number of threads divides.
    for (const char* text : {"rdft 10007 backward float32", "rdft 10007 backward inplace"})
        support::prove(text, gpu_schedule(problem(text), target::gpu_named("sm_90")));
    for (const char* text : {"rdft 20014 backward", "rdft 20014 batch=2"})
        expect_starts_with(proved(text), "generic: 0 rdft-half-size[bluestein(");
    expect_starts_with(proved("rdft 8191 batch=2"), "generic: 0 rdft-embedding[bluestein(16384)[two-sweep(");
}

TEST(TransformsBeyondABlock, OfLargePrimesTimesOthersAreSweptByEach) {
    expect_starts_with(proved("rdft 10001"), "generic: 0 rdft-embedding[stockham(137,73)[");
    expect_starts_with(proved("dft 10064 batch=2"), "generic: 0 two-sweep(37,1,1)[stockham(17,16), rader[");
    expect_starts_with(proved("dft 10064 float32 planar backward"),
                       "generic: 0 two-sweep(37,1,1)[stockham(17,16), rader[");
    expect_starts_with(proved("dft 50653 inplace"), "generic: 0 stockham(37,37,37)[bluestein(");
    expect_starts_with(proved("dft 12297"),
                       "generic: 0 stockham(4099,3)[codelet, bluestein("); // no block holds 4099
    expect_starts_with(proved("dft 3x9430 float32"), "generic: 1 two-sweep(41,1,1)[stockham(23,10), rader[");
    EXPECT_NE(proved("convolution 8214 float32").find("stockham(37,37,6)["), std::string::npos);
    for (const char* text : {"dct3 11890", "dct2 11890 float32 batch=2", "dst4 8214 inplace", "dct4 10793",
                             "rdft 10793 backward", "rdft 14800 batch=2"})
        EXPECT_NE(proved(text).find("[stockham("), std::string::npos);
}

/// Of lengths that a block holds but twice, or once.
TEST(TransformsBeyondABlock, OfPrimesThatFillABlockAreKernelsOfTheirOwn) {
    for (const char* more : {"", " backward", " inplace"})
        expect_starts_with(proved(std::string("dft 3027 batch=2") + more),
                           "generic: 0 stockham(1009,3)[codelet, rader[");
}

TEST(TransformsBeyondABlock, OfRealsMultiplyRangesByConstants) {
    for (const char* text : {"rdft 161051 backward", "dct4 161051 float32"})
        support::prove(text, gpu_schedule(problem(text), target::gpu_named("sm_90")));
}

TEST(TransformsBeyondABlock, OfCosinesAndSinesGoThroughThoseOfReals) {
    for (const char* kind : {"dct2", "dct3", "dst2", "dst3"})
        for (const char* length : {" 6561", " 10000", " 16384 batch=2", " 10007"})
            EXPECT_NE(proved(kind + std::string(length)).find("-rdft[rdft-"), std::string::npos);
    for (const char* text :
         {"dct5 8200", "dct7 8200 float32 inplace", "dct8 10001", "dst5 8195", "dst6 9000 batch=2"})
        EXPECT_NE(proved(text).find("5-rdft[rdft-"), std::string::npos);
    for (const char* kind : {"dct4", "dst4"}) {
        EXPECT_NE(proved(kind + std::string(" 16384 batch=2")).find("dct4-dft[two-sweep("),
                  std::string::npos);
        EXPECT_NE(proved(kind + std::string(" 20014")).find("dct4-dft[bluestein("), std::string::npos);
        EXPECT_NE(proved(kind + std::string(" 6561 inplace")).find("dct4-rdft[rdft-embedding["),
                  std::string::npos);
    }
    proved("dct2 3x10000 float32");
    proved("dct3 10000x3 inplace");
}

/// The two ranges of the DCT-III's permutation meet within a block of the last pass, but not within its loop over columns.
TEST(TransformsBeyondABlock, CosineTransformsSplitPairs) {
    EXPECT_NE(proved("dct3 31380 float32").find("stockham(523,30)[stockham(6,5), bluestein("),
              std::string::npos);
}

/// The first row's kernel passes reals through global memory to itself, which staging must leave alone.
TEST(TransformsBeyondABlock, StageWhatOtherKernelsRead) {
    const std::string text = "dct3 16384 batch=2";
    const std::string schedule =
        "generic: 0 dct3-rdft[rdft-two-sweep(256)[rdft-half-size[stockham(16,8)], "
        "rdft-half-size[stockham(8,8)], stockham(8,8)]] on 512x1 pad 32 separate_above 4096, 32x15 pad 32, "
        "64x1 pad 32 staged out, 64x8 pad 32 pitch 1, 64x4 pad 32 pitch 2";
    prove(text, planning::parse_schedule(schedule, swirl::problem(text)));
}

TEST(TransformsBeyondABlock, OfSignsAreSweptTwice) {
    for (const char* text : {"wht 8192", "wht 16384 batch=3", "wht 65536 float32 inplace", "wht 4x8192",
                             "wht 8192x4", "wht 131072 float32"})
        EXPECT_NE(proved(text).find("wht-split("), std::string::npos);
    for (const char* text :
         {"wht_dyadic 8192", "wht_sequency 16384 batch=2", "wht_sequency 65536 float32 inplace"})
        EXPECT_NE(proved(text).find("wht-ordered("), std::string::npos);
}

/// In a launch of few blocks a kernel would take as long as one of them does for all.
TEST(TransformsBeyondABlock, AreSpreadOverBlocks) {
    for (const char* text : {"dct2 2^20 float32", "dst3 10^6 float32", "rdft 3^12 float32",
                             "wht 2^20 float32", "rdft 100003 float32"}) {
        const Transform problem = swirl::problem(text);
        const planning::Schedule schedule = gpu_schedule(problem, target::gpu_named("sm_90"));
        for (const planning::GpuPassDescription& pass : planning::describe_passes(problem, schedule))
            for (const ir::KernelInfo& kernel : pass.kernels) {
                const Integer bytes = kernel.bytes_loaded + kernel.bytes_stored;
                EXPECT_LT(bytes / kernel.launch.blocks[0], Integer{1} << 20)
                    << text << ": " << ir::to_string(kernel);
            }
    }
}

} // namespace gpu_large_test
} // namespace swirl::search
