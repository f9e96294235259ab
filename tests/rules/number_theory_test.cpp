#include "rules/number_theory.hpp"

#include "rules/rule.hpp"

#include <gtest/gtest.h>

namespace swirl::rules {
namespace number_theory_test {

TEST(Divisors, AreThoseThatTrialDivisionFinds) {
    for (Integer n = 1; n <= 2000; ++n) {
        std::vector<Integer> expected;
        for (Integer d = 1; d <= n; ++d)
            if (n % d == 0) expected.push_back(d);
        EXPECT_EQ(divisors(n), expected) << n;
    }
}

TEST(Divisors, GiveTheChoicesOfHugeLengthsAtOnce) {
    const formula::Formula real = formula::RDFT(10'999'999'999'900);
    EXPECT_FALSE(rule_named("rdft-two-sweep").choices(real).empty());
    EXPECT_FALSE(ordered_splits(real.rows()).empty());
}

} // namespace number_theory_test
} // namespace swirl::rules
