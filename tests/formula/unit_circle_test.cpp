#include "formula/unit_circle.hpp"

#include "formula/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::formula {
namespace {

Complex point_at(const UnitCircle& circle, Turns turns) {
    const UnitCircle::Point point = circle(turns);
    return {static_cast<long double>(point.re) / UnitCircle::one,
            static_cast<long double>(point.im) / UnitCircle::one};
}

TEST(Turns, WrapAndKeepAll128Digits) {
    const Turns third = Turns::fraction(1, 3);
    const Turns::Digits two_thirds = (third + third).digits();
    EXPECT_TRUE((third * 4 - third).digits() == 0 - Turns::Digits{1}) << "a third is rounded down";
    EXPECT_TRUE((third - third - third).digits() == 0 - third.digits());
    EXPECT_EQ(static_cast<std::uint64_t>(two_thirds >> 64), 0xaaaaaaaaaaaaaaaa);
    EXPECT_TRUE(Turns::fraction(3, 4).digits() == Turns::Digits{3} << 126);
}

TEST(UnitCircle, HasTheRootsOfUnityOfAnyOrder) {
    const UnitCircle circle;
    std::mt19937_64 random(41);
    for (const Integer order : {3, 7, 1000, 4096, 10007, 1 << 24, 1 << 30, 2147483647})
        for (int sample = 0; sample < 500; ++sample) {
            const auto k = static_cast<Integer>(random() % static_cast<std::uint64_t>(order));
            const Turns angle = Turns::fraction(1, static_cast<Turns::Digits>(order));
            const Complex expected = root_of_unity(order, k, Direction::backward),
                          point = point_at(circle, angle * static_cast<Turns::Digits>(k));
            const long double most = 0x1p-62L; // half of it is that of the expected value
            EXPECT_LT(std::abs(point.real() - expected.real()), most) << k << "/" << order;
            EXPECT_LT(std::abs(point.imag() - expected.imag()), most) << k << "/" << order;
        }
}

TEST(UnitCircle, IsExactOnTheAxes) {
    const UnitCircle circle;
    const Complex axes[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (Turns::Digits k = 0; k < 4; ++k)
        EXPECT_EQ(point_at(circle, Turns::fraction(k, 4)), axes[static_cast<int>(k)]);
}

TEST(UnitCircle, StaysInRangeNextToTheAxes) {
    const UnitCircle circle;
    for (const Turns::Digits axis : {0, 1, 2, 3})
        for (int bit = 0; bit < 126; ++bit)
            for (const bool is_after : {false, true}) {
                const Turns distance(Turns::Digits{1} << bit), at = Turns(axis << 126);
                const Complex point = point_at(circle, is_after ? at + distance : at - distance);
                EXPECT_LT(std::abs(std::abs(point) - 1), 0x1p-61L) << static_cast<int>(axis) << " " << bit;
            }
}

} // namespace
} // namespace swirl::formula
