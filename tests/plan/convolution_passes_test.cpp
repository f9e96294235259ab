// Which rows and columns the passes of a convolution in several dimensions transform.
#include "plan/transform/dimension_passes.hpp"

#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::planning {
namespace convolution_passes_test {

TEST(ConvolutionPasses, SkipRowsOfZerosAndRowsWithoutResults) {
    const Transform problem = swirl::problem(
        "rconvolution 64x48 load=\"x where i0 < 20 and i1 < 7\" store=\"x where i0 >= 9 and i0 < 40\"");
    const std::vector<DimensionPass> passes = dimension_passes(problem);
    ASSERT_EQ(passes.size(), 3U);
    EXPECT_EQ(passes[0].left, std::vector<Integer>{20});
    EXPECT_EQ(passes[0].bases[0], 0);
    ASSERT_TRUE(passes[1].load && passes[1].store);
    EXPECT_EQ(passes[1].load->needed.size(), 2U);
    EXPECT_EQ(passes[1].right, std::vector<Integer>{25});
    EXPECT_EQ(passes[2].left, std::vector<Integer>{31});
    EXPECT_EQ(passes[2].bases[0], 9 * 2 * 25);
    EXPECT_EQ(passes[2].bases[1], 9 * 48);
}

TEST(ConvolutionPasses, TransformAllRowsThatMayHoldOtherValuesThanZero) {
    const Transform problem = swirl::problem("rconvolution 64x48 load=\"i0 < 20 ? x : 1\"");
    const std::vector<DimensionPass> passes = dimension_passes(problem);
    EXPECT_EQ(passes[0].left, std::vector<Integer>{64});
    EXPECT_FALSE(passes[1].load);
}

TEST(ConvolutionPasses, SkipPlanesOfVolumes) {
    const Transform problem = swirl::problem(
        "rconvolution 8x16x32 load=\"x where i0 < 3 and i1 >= 2 and i1 < 7\" store=\"x where i0 < 5 and i1 < "
        "9\"");
    const std::vector<DimensionPass> passes = dimension_passes(problem);
    ASSERT_EQ(passes.size(), 5U);
    EXPECT_EQ(passes[0].left, (std::vector<Integer>{3, 5}));
    EXPECT_EQ(passes[1].left, std::vector<Integer>{3});
    EXPECT_TRUE(passes[1].load && !passes[1].store);
    EXPECT_TRUE(passes[2].load && passes[2].store);
    EXPECT_EQ(passes[3].left, std::vector<Integer>{5});
    EXPECT_TRUE(!passes[3].load && passes[3].store);
    EXPECT_EQ(passes[4].left, (std::vector<Integer>{5, 9}));
}

} // namespace convolution_passes_test
} // namespace swirl::planning
