#include "search/cost/gpu/cached_estimate.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace swirl::search {
namespace gpu_cached_estimate_test {

const target::Gpu& hopper() { return target::gpu_named("sm_90"); }

class KeptSchedules : public testing::Test {
protected:
    void store_instead(const std::string& text) {
        ASSERT_EQ(cache.entries().size(), 1U);
        cache.store(cache.entries()[0].key, {"sm_90", "schedule"}, std::as_bytes(std::span(text)));
    }

    const Transform problem = parse_transform("dft 1000 float32 batch=10");
    TemporaryFolder folder;
    runtime::KernelCache cache{folder.path() / "kernels"};
};

TEST_F(KeptSchedules, AreAskedForOnce) {
    const planning::Schedule estimate = gpu_schedule(problem, hopper());
    EXPECT_EQ(cached_gpu_schedule(problem, hopper(), nullptr), estimate);
    EXPECT_TRUE(cache.entries().empty());
    EXPECT_EQ(cached_gpu_schedule(problem, hopper(), &cache), estimate);
    ASSERT_EQ(cache.entries().size(), 1U);
    EXPECT_EQ(cache.entries()[0].label.name, "schedule for dft 1000 float32 batch=10");
    EXPECT_EQ(cached_gpu_schedule(problem, hopper(), &cache), estimate);
    const std::string other = "sm_90: 0 stockham(5,5,5,8) on 125x1";
    store_instead(other);
    EXPECT_EQ(to_string(cached_gpu_schedule(problem, hopper(), &cache)), other) << "what is there is read";
    EXPECT_EQ(cached_gpu_schedule(problem, target::gpu_named("sm_80"), &cache),
              gpu_schedule(problem, target::gpu_named("sm_80")));
    EXPECT_EQ(cache.entries().size(), 2U);
}

TEST_F(KeptSchedules, AreThoseOfOneCard) {
    cached_gpu_schedule(problem, hopper(), &cache);
    target::Gpu other = hopper();
    other.rates.memory_bytes *= 1.5;
    EXPECT_EQ(cached_gpu_schedule(problem, other, &cache), gpu_schedule(problem, other));
    EXPECT_EQ(cache.entries().size(), 2U);
}

TEST_F(KeptSchedules, AreAskedForAgainWhereTheyAreNone) {
    const planning::Schedule estimate = gpu_schedule(problem, hopper());
    cached_gpu_schedule(problem, hopper(), &cache);
    for (const char* text : {"", "nonsense", "sm_80: 0 stockham(10,10,10) on 100x1"}) {
        store_instead(text);
        EXPECT_EQ(cached_gpu_schedule(problem, hopper(), &cache), estimate) << text;
        EXPECT_EQ(cached_gpu_schedule(problem, hopper(), &cache), estimate) << text;
    }
}

TEST_F(KeptSchedules, AreNoneWhereThereIsNone) {
    const Transform impossible = parse_transform("dft 1099511627776");
    for (int k = 0; k < 2; ++k) EXPECT_THROW(cached_gpu_schedule(impossible, hopper(), &cache), UserError);
    EXPECT_TRUE(cache.entries().empty());
}

} // namespace gpu_cached_estimate_test
} // namespace swirl::search
