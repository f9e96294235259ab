#include "gemm/extremes.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace swirl::gemm::test {
namespace extremes_test {

struct Extremes {
    float largest, least;
};

Extremes found_in(const ir::Memory& to) {
    Extremes found{0, std::numeric_limits<float>::infinity()};
    for (int lane = 0; lane < extremes_lanes; ++lane) {
        const auto largest = static_cast<float>(to[lane]);
        if (std::isnan(largest) || largest > found.largest) found.largest = largest;
        found.least = std::min(found.least, static_cast<float>(to[extremes_lanes + lane]));
    }
    found.least = std::bit_cast<float>(std::bit_cast<std::uint32_t>(found.least) + 1U);
    return found;
}

Extremes extremes_with(Integer lines, Integer length, Integer at, float value) {
    const Integer stride = length + 5;
    const ir::Program program = extremes(lines, length, stride);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    ir::Memory& from = arguments["source"];
    for (Integer line = 0; line < lines; ++line)
        for (Integer i = 0; i < length; ++i)
            from.set(line * stride + i, i % 3 == 0 ? 0 : i % 2 == 0 ? -1.5L : 2);
    from.set(at, value);
    arguments.parameters = {lines, length / 64 * 64, length, stride};
    ir::interpret(program, arguments);
    return found_in(arguments["extremes"]);
}

TEST(Extremes, FindsMaximumAndSmallestNonzero) {
    for (const Integer length : {16, 17, 63, 64, 80, 131})
        for (const Integer at : {Integer{0}, Integer{15}, length - 1, length + 5, 2 * length + 4}) {
            const Extremes large = extremes_with(2, length, at, -7e30F);
            EXPECT_EQ(large.largest, 7e30F) << length << ", " << at;
            EXPECT_EQ(large.least, 1.5F);
            EXPECT_EQ(extremes_with(2, length, at, -1e-42F).least, 1e-42F) << length << ", " << at;
        }
}

TEST(Extremes, AreFoundOneByOneWithAnyStrides) {
    const Integer lines = 3, length = 5, element_stride = 4, stride = 2;
    const ir::Program program = extremes_one_by_one(lines, length, 8);
    ir::verify(program, ir::VerificationLevel::vectorized);
    for (const float value : {-7e30F, -1e-42F, 0.0F}) {
        ir::Arguments arguments(program);
        for (Integer line = 0; line < lines; ++line)
            for (Integer i = 0; i < length; ++i)
                arguments["source"].set(line * stride + i * element_stride, i % 2 == 0 ? -1.5L : 2);
        arguments["source"].set(2 * stride + 4 * element_stride, value);
        arguments.parameters = {lines, length, element_stride, stride};
        ir::interpret(program, arguments);
        const Extremes found = found_in(arguments["extremes"]);
        EXPECT_EQ(found.largest, std::max(2.0F, std::abs(value)));
        EXPECT_EQ(found.least, value == -1e-42F ? 1e-42F : 1.5F);
    }
}

TEST(Extremes, NanAndInfinityAreTheMaximum) {
    EXPECT_TRUE(std::isinf(extremes_with(1, 20, 3, -std::numeric_limits<float>::infinity()).largest));
    EXPECT_TRUE(std::isnan(extremes_with(1, 20, 3, std::numeric_limits<float>::quiet_NaN()).largest));
}

} // namespace extremes_test
} // namespace swirl::gemm::test
