// Sums of tensor cores, as tiles' products mean them.

#include "ir/tensor_core.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace swirl::ir {
namespace tensor_core_test {

std::vector<TensorCoreOperand> factors(const std::vector<double>& values, int least_exponent = -126) {
    std::vector<TensorCoreOperand> result;
    for (const double value : values) result.push_back(tensor_core_operand(value, least_exponent));
    return result;
}

float sum_of(const std::vector<double>& a, const std::vector<double>& b, float sum,
             const TensorCoreRounding& rounding = {}) {
    return tensor_core_accumulate(factors(a), factors(b), sum, rounding);
}

TEST(TensorCoreSum, IsExactWhereNothingIsCutOff) {
    EXPECT_EQ(sum_of({3, -5, 0.5}, {7, 2, 8}, 100), 115);
    EXPECT_EQ(sum_of({0, 0}, {1, 0}, 0), 0);
    EXPECT_EQ(sum_of({0x1p-100}, {0x1p-40}, 0), 0x1p-140F) << "subnormal sums are kept";
}

TEST(TensorCoreSum, CutsTheResultOffTowardsZero) {
    EXPECT_EQ(sum_of({1, 0x1p-12}, {1, 0x1.8p-12}, 0), 1) << "1 + 1.5·2^-24";
    EXPECT_EQ(sum_of({-1, 0x1p-12}, {1, -0x1.8p-12}, 0), -1);
    EXPECT_EQ(sum_of({1, 1}, {1, 0x1p-23}, 0), 1 + 0x1p-23F);
}

/// Two more bits than float32 has are kept of each: a quarter of a unit, but no eighth.
TEST(TensorCoreSum, CutsEachProductOffBeforeItIsAdded) {
    EXPECT_EQ(sum_of({1, 1, 1, 1}, {0x1p-25, 0x1p-25, 0x1p-25, 0x1p-25}, 1), 1 + 0x1p-23F);
    const std::vector<double> ones(16, 1.0), small(16, 0x1p-26);
    EXPECT_EQ(sum_of(ones, small, 1), 1) << "16 products of 2^-26";
}

TEST(TensorCoreSum, AlignsToTheLargestProductsExponent) {
    // 1.5 · 1.5 counts as 2^0, although it is more than 2.
    EXPECT_EQ(sum_of({1.5, 1, 1}, {1.5, 0x1p-25, 0x1p-25}, -1.9375F), 0.3125F + 0x1p-24F);
}

TEST(TensorCoreSum, OfEightBitsHasThirteenBitsOfFraction) {
    const TensorCoreRounding eight = {.aligned_bits = 13, .result_fraction_bits = 13};
    EXPECT_EQ(sum_of({1, 1}, {1, 0x1p-13}, 0, eight), 1 + 0x1p-13F);
    EXPECT_EQ(sum_of({1, 1, 1}, {1, 0x1p-14, 0x1p-14}, 0, eight), 1);
}

TEST(TensorCoreSum, HasInfinitiesAndNaN) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(sum_of({infinity, 1}, {1, 1}, 0), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(sum_of({infinity, 1}, {1, 1}, -std::numeric_limits<float>::infinity())));
    EXPECT_TRUE(std::isnan(sum_of({infinity}, {0}, 1)));
}

} // namespace tensor_core_test
} // namespace swirl::ir
