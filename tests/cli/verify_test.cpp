#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace verify_test {

// Each of these lengths has two different prime factors that the reference takes through convolutions.
TEST(Verify, HasAReferenceForLengthsOfTwoLargePrimes) {
    for (const char* problem : {"dft 13493", "dft 17762", "rdft 13493 backward", "dct2 4757", "dst3 67x71"}) {
        const auto outcome = run_swirl(std::string("verify --cpu portable '") + problem + "'");
        EXPECT_EQ(outcome.status, 0) << problem << "\n" << outcome.output;
    }
}

} // namespace verify_test
} // namespace swirl
