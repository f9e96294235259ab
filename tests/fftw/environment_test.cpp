#include <gtest/gtest.h>

#include <cstdlib>

namespace swirl::test {
namespace environment_test {

/// What tests measure does not go into the user's wisdom.
class OwnWisdom : public testing::Environment {
    void SetUp() override { setenv("SWIRL_WISDOM", ":memory:", 1); }
    void TearDown() override { unsetenv("SWIRL_WISDOM"); }
};

const testing::Environment* const own_wisdom = testing::AddGlobalTestEnvironment(new OwnWisdom);

} // namespace environment_test
} // namespace swirl::test
