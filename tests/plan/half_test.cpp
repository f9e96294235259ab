#include <swirl/half.hpp>

#include "ir/rounding.hpp"
#include "plan/check/problem_data.hpp"
#include "problem/syntax.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace swirl {
namespace half_test {

float16 with_bits(unsigned bits) {
    float16 x;
    x.bits = static_cast<std::uint16_t>(bits);
    return x;
}

TEST(Float16, HasTheValueOfItsBits) {
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const int exponent = static_cast<int>(bits >> 10), mantissa = static_cast<int>(bits & 0x3ff);
        const double value =
            exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
        EXPECT_EQ(static_cast<float>(with_bits(bits)), value) << bits;
        EXPECT_EQ(static_cast<float>(with_bits(bits | 0x8000U)), -value) << bits;
        EXPECT_EQ(float16(static_cast<float>(value)).bits, bits);
        EXPECT_EQ(float16(-static_cast<float>(value)).bits, bits | 0x8000U);
    }
    EXPECT_EQ(static_cast<float>(with_bits(0xfc00)), -HUGE_VALF);
    for (unsigned bits = 0x7c01; bits < 0x8000; ++bits) EXPECT_TRUE(std::isnan(with_bits(bits))) << bits;
}

TEST(SixteenBitTypes, AreRoundedAsTheInterpreterDoes) {
    std::mt19937 random(1);
    for (int i = 0; i < 200000; ++i) {
        const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(x)) {
            EXPECT_TRUE(std::isnan(float16(x)) && std::isnan(bfloat16(x)));
            continue;
        }
        EXPECT_EQ(static_cast<double>(float16(x)), ir::round_to_float16(x)) << x;
        EXPECT_EQ(static_cast<double>(bfloat16(x)), ir::round_to_bfloat16(x)) << x;
    }
    for (const float edge : {65504.0F, 65519.99F, 65520.0F, 0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1.ffcp-15F,
                             0x1.ffdp-15F, 0x1p-14F, -0.0F, std::numeric_limits<float>::max()}) {
        EXPECT_EQ(static_cast<double>(float16(edge)), ir::round_to_float16(edge)) << edge;
        EXPECT_EQ(static_cast<double>(bfloat16(edge)), ir::round_to_bfloat16(edge)) << edge;
    }
}

TEST(SixteenBitTypes, AreWhatProblemsDataHolds) {
    planning::ProblemData data(problem("dft 4 bfloat16 planar"));
    data.set(Side::input, 2, {1 + 0x1p-9, -3});
    EXPECT_EQ(data.get(Side::input, 2), std::complex<double>(1, -3));
    EXPECT_EQ(static_cast<const bfloat16*>(data.arguments().input_imaginary)[2].bits, 0xc040);
    planning::ProblemData pairs(problem("dft 4 float16"));
    pairs.set(Side::output, 3, {1 + 0x1p-11 + 0x1p-40, 70000});
    EXPECT_EQ(pairs.get(Side::output, 3), std::complex<double>(1 + 0x1p-10, HUGE_VAL)) << "rounded once";
    pairs.fill(1);
    EXPECT_NE(pairs.get(Side::input, 0), pairs.get(Side::input, 1));
}

} // namespace half_test
} // namespace swirl
