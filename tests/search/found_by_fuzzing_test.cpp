#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <variant>

/// Valid problems that were once refused, or whose kernels failed their check.
namespace swirl::search {
namespace found_by_fuzzing_test {

TEST(FoundByFuzzing, PlansPassTheirChecks) {
    for (
        const char* text : {
            "convolution 37x3x11 planar",                         // the last index tables share a buffer
            "rdft 13x1 backward inplace load=\"i0 < 5 ? x : 0\"", // the half spectrum has no room in the array
            "rdft 16x12x10 backward inplace load=\"x where i0 < 4\"",
        })
        for (const char* cpu : {"sse2", "avx2", "portable"}) {
            const AnyPlan plan =
                make_plan(parse_transform(text), Options{.cpu = cpu, .use_wisdom = false}, nullptr);
            EXPECT_TRUE(std::get<std::shared_ptr<const planning::Plan>>(plan)->checked().starts_with("yes"))
                << text << " on " << cpu;
        }
}

TEST(FoundByFuzzing, GpusHaveSchedules) {
    for (const char* text : {"dct3 13212", "dst3 17688 bfloat16", "dct3 19680 float32"})
        EXPECT_EQ(gpu_schedule(parse_transform(text), target::gpu_named("sm_90")).target, "sm_90") << text;
}

TEST(FoundByFuzzing, OmittedResultsAreNotReused) {
    EXPECT_THROW(make_plan(parse_transform("rdft 13x1 store=\"x where i0 < 5\""),
                           Options{.use_wisdom = false}, nullptr),
                 UserError);
}

} // namespace found_by_fuzzing_test
} // namespace swirl::search
