#include "plan/transform/dimension_passes.hpp"
#include "search/cost/cpu/cost_model.hpp"

#include <gtest/gtest.h>

namespace swirl::search {
namespace pair_cost_test {

std::string first_choice(const char* text, const target::Cpu& cpu) {
    const Transform problem = parse_transform(text);
    const DataType scalar = problem.precision == DataType::float32 ? DataType::float32 : DataType::float64;
    return rules::to_string(candidates(planning::dimension_passes(problem)[0], cpu, scalar).at(0).tree);
}

TEST(PairCost, PrefersTwoPassesThatFillVectorsToOneCodelet) {
    for (const char* text : {"dft 16", "dft 32", "dft 64", "dft 16 float32", "dft 64 float32"})
        EXPECT_TRUE(first_choice(text, target::avx512_cpu()).starts_with("stockham")) << text;
    EXPECT_EQ(first_choice("dft 16", target::avx512_cpu()), "stockham(4,4)");
    EXPECT_EQ(first_choice("dft 64 float32", target::avx512_cpu()), "stockham(8,8)");
}

TEST(PairCost, LeavesPrimesWhole) {
    for (const char* text : {"dft 2", "dft 5", "dft 17"})
        EXPECT_EQ(first_choice(text, target::avx512_cpu()), "codelet") << text;
}

TEST(PairCost, PrefersRealTransformsOfHalfTheSizeThatFillVectors) {
    for (const char* text :
         {"rdft 64", "rdft 64 float32", "rdft 128 backward float32", "rdft 64 float32 batch=100"})
        EXPECT_TRUE(first_choice(text, target::avx512_cpu()).starts_with("rdft-half-size")) << text;
    EXPECT_TRUE(first_choice("rdft 64 float32", target::avx2_cpu()).starts_with("rdft-half-size"));
    for (const char* text : {"rdft 16", "rdft 24 float32"})
        EXPECT_EQ(first_choice(text, target::avx512_cpu()), "codelet") << text;
}

TEST(PairCost, AvoidsLoadsThatWaitForStoresInPlace) {
    EXPECT_TRUE(first_choice("dft 12 float32", target::avx512_cpu()).starts_with("stockham"));
    EXPECT_EQ(first_choice("dft 12 float32 inplace", target::avx512_cpu()), "codelet");
    EXPECT_EQ(first_choice("dft 16 inplace", target::avx512_cpu()), "codelet");
    EXPECT_TRUE(
        first_choice("dft 12 float32 inplace batch=100", target::avx512_cpu()).starts_with("stockham"))
        << "the next transform is elsewhere";
}

TEST(PairCost, EstimatesNothingThatLoopsOverVectorsServe) {
    const Transform problem = parse_transform("dft 16 strides=64 batch=64:1");
    const auto batched =
        candidates(planning::dimension_passes(problem)[0], target::avx512_cpu(), DataType::float64);
    EXPECT_GT(batched.at(0).cycles, 64 * 7);
}

} // namespace pair_cost_test
} // namespace swirl::search
