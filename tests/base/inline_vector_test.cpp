#include "base/inline_vector.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace swirl {
namespace inline_vector_test {

using Inline = InlineVector<int, 3>;

void expect_same(const Inline& found, const std::vector<int>& expected) {
    EXPECT_EQ(std::vector<int>(found.begin(), found.end()), expected);
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(found.empty(), expected.empty());
}

TEST(InlineVector, IsAVectorWithinAndBeyondItsCapacity) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        Inline vector;
        std::vector<int> expected;
        for (int step = 0; step < 40; ++step) {
            const auto size = static_cast<unsigned>(expected.size());
            const bool grows = random() % (trial % 2 ? 2 : 3) == 0 || expected.empty();
            const auto at = static_cast<std::ptrdiff_t>(random() % (size + grows));
            if (grows) {
                const int value = static_cast<int>(random() % 100);
                EXPECT_EQ(*vector.insert(vector.begin() + at, value), value);
                expected.insert(expected.begin() + at, value);
            } else {
                vector.erase(vector.begin() + at);
                expected.erase(expected.begin() + at);
            }
            expect_same(vector, expected);
        }
    }
}

TEST(InlineVector, CopiesAndMoves) {
    for (const int count : {0, 1, 3, 4, 9})
        for (const int before : {0, 2, 3, 5}) {
            Inline source, target;
            std::vector<int> expected;
            for (int k = 0; k < count; ++k) source.push_back(k), expected.push_back(k);
            for (int k = 0; k < before; ++k) target.push_back(100 + k);
            const Inline copy = source;
            expect_same(copy, expected);
            Inline assigned = target;
            assigned = source;
            expect_same(assigned, expected);
            assigned = std::as_const(assigned);
            expect_same(assigned, expected);
            Inline constructed = std::move(source);
            expect_same(constructed, expected);
            expect_same(source, {}); // NOLINT: a moved-from vector is empty
            target = std::move(constructed);
            expect_same(target, expected);
            source.push_back(7);
            expect_same(source, {7});
            constructed = source;
            expect_same(constructed, {7});
        }
}

TEST(InlineVector, ComparesByElements) {
    const Inline two{1, 2}, longer{1, 2, 0}, other{1, 3};
    EXPECT_EQ(two, (Inline{1, 2}));
    EXPECT_NE(two, longer);
    EXPECT_LT(two, longer);
    EXPECT_LT(longer, other);
    EXPECT_GT((Inline{1, 2, 3, 4, 5}), longer);
}

} // namespace inline_vector_test
} // namespace swirl
