#include "plan/memory_need.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/memory_limit.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace swirl::planning {
namespace memory_need_test {

TEST(MemoryNeed, DependsOnTheLongestDimension) {
    EXPECT_EQ(min_workspace(problem("dft 1048576 batch=1048576")), 0);
    EXPECT_EQ(min_workspace(problem("dft 8x2^30")), Integer{1} << 34);
    EXPECT_EQ(min_workspace(problem("rdft 2^30 float32")), Integer{1} << 32);
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
            for (const char* expected : {"length ", "GiB", "use lengths up to"})
                EXPECT_NE(message.find(expected), std::string::npos) << message;
        }
    }
}

TEST(MemoryNeedOnGpus, DependsOnTheLongestDimensionAndItsConvolution) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    EXPECT_EQ(min_gpu_memory(problem("dft 65536 batch=1048576"), gpu), 0);
    EXPECT_EQ(min_gpu_memory(problem("dft 8x2^30"), gpu), Integer{1} << 34);
    EXPECT_EQ(min_gpu_memory(problem("rdft 2^30 float16"), gpu), Integer{1} << 32);
    EXPECT_GE(min_gpu_memory(problem("dft 100000007 float32"), gpu), 32 * Integer{100000007});
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
        for (const char* expected : {"length ", "GiB", "use lengths up to"})
            EXPECT_NE(message.find(expected), std::string::npos) << text << message;
    }
}

TEST(MemoryNeedOnGpus, CountsWhatInputAndOutputHave) {
    EXPECT_EQ(array_bytes(problem("dft 1024 batch=1000000")), 2 * 16 * 1024 * Integer{1000000});
    EXPECT_EQ(array_bytes(problem("dft 1024 inplace batch=1000000")), 16 * 1024 * Integer{1000000});
    EXPECT_EQ(array_bytes(problem("rdft 1024 float32")), 4 * 1024 + 8 * 513);
    EXPECT_EQ(array_bytes(problem("dft 8 float32 planar")), 2 * 8 * 8);
    EXPECT_EQ(array_bytes(problem("dft 8 in=1000000000000 out=1")), 2 * 16 * 8);
    EXPECT_EQ(array_bytes(problem("dft 8 batch=100:(1,8)")), 16 * (107 + 800)); // transforms share inputs
}

TEST(MemoryNeedOnGpus, RejectsArraysBeyondEveryGpu) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    for (const char* text : {"dft 1024 batch=9437184", "dft 1024 batch=18874368 inplace", "dft 2^32",
                             "dft 65536x65536 float32 batch=4", "dft 8 in=1000000000000 out=1"})
        EXPECT_NO_THROW(require_gpu_memory(problem(text), gpu)) << text;
    for (const auto& [text, remedy] : {std::pair{"dft 1024 batch=9437185", "use a batch of 9437184 at most"},
                                       {"dft 1024 batch=18874369 inplace", "use a batch of 18874368 at most"},
                                       {"dft 65536x65536 float32 batch=5", "use a batch of 4 at most"},
                                       {"rdft 2 batch=2^55", "use a batch of "},
                                       {"dft 2^34 float32", "use up to about 8589934592 points in all"},
                                       {"dft 2^15x2^15x2^10", "use up to about 8589934592 points in all"}}) {
        const std::string message =
            error_of<UserError>([&, text = text] { require_gpu_memory(problem(text), gpu); });
        EXPECT_NE(message.find(remedy), std::string::npos) << text << message;
        EXPECT_NE(message.find("input and output have "), std::string::npos) << text << message;
    }
}

} // namespace memory_need_test
} // namespace swirl::planning
