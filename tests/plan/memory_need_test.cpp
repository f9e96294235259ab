#include "plan/memory_need.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/memory_limit.hpp"

#include <gtest/gtest.h>

#include <string>

namespace swirl::planning {
namespace {

TEST(MemoryNeed, IsThatOfTheLongestDimensionAndNothingForSmallOnes) {
    EXPECT_EQ(least_workspace(problem("dft 1048576 batch=1048576")), 0);
    EXPECT_EQ(least_workspace(problem("dft 8x2^30")), Integer{1} << 34);
    EXPECT_EQ(least_workspace(problem("rdft 2^30 float32")), Integer{1} << 32);
}

TEST(MemoryNeed, BeyondThisMachineIsRefusedWithWhatWouldWork) {
    EXPECT_GT(runtime::memory_limit(), Integer{1} << 27);
    require_memory(problem("dft 2^21"));
    for (const char* text : {"dft 2^50", "rdft 2^55", "dft 8x2^50 float32"}) {
        try {
            require_memory(problem(text));
            FAIL() << text;
        } catch (const UserError& error) {
            const std::string message = error.what();
            for (const char* part : {"length ", "GiB", "use lengths up to"})
                EXPECT_NE(message.find(part), std::string::npos) << message;
        }
    }
}

} // namespace
} // namespace swirl::planning
