#include "base/error.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace error_test {

TEST(UserError, CarriesTheFormattedMessage) {
    try {
        throw UserError("length of dimension {} is {}", 1, 0);
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "length of dimension 1 is 0");
    }
}

TEST(InternalError, SaysThatItIsOurs) {
    EXPECT_STREQ(InternalError("stage {}", "lower").what(), "internal error: stage lower");
}

TEST(Ensure, ThrowsOnlyWhereTheContractIsBroken) {
    EXPECT_NO_THROW(ensure(true, "never said"));
    EXPECT_THROW(ensure(false, "size {}", 3), InternalError);
}

} // namespace error_test
} // namespace swirl
