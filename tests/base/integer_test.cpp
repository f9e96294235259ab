#include "base/integer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace swirl {
namespace integer_test {

constexpr Integer largest = std::numeric_limits<Integer>::max();

TEST(CheckedArithmetic, GivesNothingWhereTheResultDoesNotFit) {
    EXPECT_EQ(checked_multiply(3, -4), -12);
    EXPECT_EQ(checked_multiply(largest, 2), std::nullopt);
    EXPECT_EQ(checked_add(largest, 0), largest);
    EXPECT_EQ(checked_add(largest, 1), std::nullopt);
    EXPECT_EQ(checked_add(-largest, -2), std::nullopt);
}

TEST(IntegerDivision, RoundsNegativeValues) {
    for (Integer b = 1; b <= 7; ++b)
        for (Integer a = -20; a <= 20; ++a) {
            const Integer floor = floor_divide(a, b);
            EXPECT_TRUE(b * floor <= a && a < b * (floor + 1)) << a << "/" << b;
            EXPECT_EQ(ceil_divide(a, b), floor + (modulo(a, b) != 0)) << a << "/" << b;
            EXPECT_TRUE(0 <= modulo(a, b) && modulo(a, b) < b) << a << "/" << b;
        }
}

} // namespace integer_test
} // namespace swirl
