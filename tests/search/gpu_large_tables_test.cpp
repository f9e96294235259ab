// Plans of long transforms on GPUs, whose factors, in one table each, would fill as much memory as the data or more.

#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/proved_schedule.hpp"
#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::search {
namespace gpu_large_tables_test {

Integer table_bytes(const std::string& text) {
    const Transform problem = swirl::problem(text);
    return planning::table_bytes(
        planning::describe_passes(problem, gpu_schedule(problem, target::gpu_named("sm_90"))));
}

constexpr Integer most = Integer{32} << 20; ///< tables of a plan whose data take gigabytes

TEST(LargeTablesOnGpus, AreReplacedByProductsOfSmallOnes) {
    for (const char* text : // data of 1 to 26 GiB
         {"dft 134217728", "dft 2^30", "dft 2^31 float32", "rdft 3^17", "rdft 3^20", "wht 2^31"})
        EXPECT_LE(table_bytes(text), most) << text;
}

TEST(LargeTablesOnGpus, AreOfLargePrimesNotOfTheWholeLength) {
    for (const char* text : // data of 0.1 to 3 GiB
         {"dft 66677688", "dft 27878400 float32", "dct3 84902547 float32", "dct4 17300519 inplace",
          "dst2 30255386", "rdft 84902547 backward", "convolution 17300519", "dst2 42113647",
          "dst2 381260880"})
        EXPECT_LE(table_bytes(text), most) << text;
}

TEST(LargeTablesOnGpus, HoldHalfOfTheSpectrumOfALongChirp) {
    // The spectrum of 1966080 points, and a chirp at either end.
    EXPECT_LE(table_bytes("dft 983039 float32"), (1966080 / 2 + 2 * 983039 + 400000) * 8);
    // Longer chirps are products.
    EXPECT_LE(table_bytes("dft 3132149 float32"), (6291456 / 2 + 2000000) * 8);
    for (const char* text : {"dft 70001 float32", "rdft 70001 backward"})
        support::prove(text, gpu_schedule(swirl::problem(text), target::gpu_named("sm_90")));
}

TEST(LargeTablesOnGpus, AreNotMadeForLargePrimes) {
    for (const char* text : {"dft 8000009", "dft 1000000007 float32", "dct2 500000003 float32",
                             "dft 104469791 float16", "dft 168359831 float32"})
        EXPECT_LE(table_bytes(text), most) << text;
}

TEST(LargeTablesOnGpus, OfChirpsOnBothSidesOfASpectrumAreNotMade) {
    for (const char* text : {"convolution 40000003", "convolution 207898759 inplace planar"})
        EXPECT_LE(table_bytes(text), Integer{72} << 20) << text;
}

} // namespace gpu_large_tables_test
} // namespace swirl::search
