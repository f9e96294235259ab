#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

namespace swirl {
namespace environment_test {

TEST(EnvironmentScope, AnswersFromTheEnvironmentOfItsConstruction) {
    setenv("SWIRL_TEST_OF_ENVIRONMENT", "before", 1);
    const Environment then;
    setenv("SWIRL_TEST_OF_ENVIRONMENT", "after=now", 1);
    setenv("SWIRL_TEST_OF_LATER", "", 1);
    EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), "after=now");
    {
        const EnvironmentScope scope(then);
        EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), "before");
        EXPECT_EQ(environment_variable("SWIRL_TEST_OF_LATER"), nullptr);
        const Environment now;
        const EnvironmentScope inner(now);
        EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), "after=now");
        EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_LATER"), "");
        std::jthread([] { EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), "after=now"); });
    }
    EXPECT_STREQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), "after=now");
    unsetenv("SWIRL_TEST_OF_ENVIRONMENT");
    unsetenv("SWIRL_TEST_OF_LATER");
    EXPECT_EQ(environment_variable("SWIRL_TEST_OF_ENVIRONMENT"), nullptr);
}

} // namespace environment_test
} // namespace swirl
