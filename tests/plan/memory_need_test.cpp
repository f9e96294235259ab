#include "plan/memory_need.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/memory_limit.hpp"
#include "support/error_of.hpp"

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

TEST(MemoryNeedOnGpus, IsThatOfTheLongestDimensionAndOfItsConvolution) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    EXPECT_EQ(least_gpu_memory(problem("dft 65536 batch=1048576"), gpu), 0);
    EXPECT_EQ(least_gpu_memory(problem("dft 8x2^30"), gpu), Integer{1} << 34);
    EXPECT_EQ(least_gpu_memory(problem("rdft 2^30 float16"), gpu), Integer{1} << 32);
    EXPECT_GE(least_gpu_memory(problem("dft 100000007 float32"), gpu), 32 * Integer{100000007});
}

TEST(MemoryNeedOnGpus, BeyondACardIsRefusedWithWhatWouldWork) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    constexpr Integer memory = Integer{80} << 30;
    for (const char* text :
         {"dft 2^32", "rdft 2^33", "dft 2^32 float32", "dft 3000000000 float32", "dft 100000007"})
        EXPECT_NO_THROW(require_gpu_memory(problem(text), gpu, memory)) << text;
    for (const char* text : {"dft 2^33", "dft 2^40", "dft 10999999999900", "dft 1099511627791 float16",
                             "dft 8x2^40", "dft 2147483647", "rdft 2^58", "wht 2^50"}) {
        const std::string message =
            error_of<UserError>([&] { require_gpu_memory(problem(text), gpu, memory); });
        for (const char* part : {"length ", "GiB", "use lengths up to"})
            EXPECT_NE(message.find(part), std::string::npos) << text << message;
    }
}

} // namespace
} // namespace swirl::planning
