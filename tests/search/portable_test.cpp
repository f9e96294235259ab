#include "search/cost/cpu/estimate.hpp"
#include "search/planner.hpp"

#include "runtime/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace swirl::search {
namespace portable_test {

TEST(PortablePlanning, EstimatesAndBuildsForThePortableCpu) {
    for (const char* text : {"dft 1", "dft 64", "dft 1000 float32", "dft 1009", "dft 1155 backward",
                             "dft 30x37", "dft 32 batch=100 planar", "rdft 60", "dct2 24", "rdft 507",
                             "rdft 975 in=-3", "dct2 1911 float32 inplace", "dst2 507 batch=4:(-510,-507)"}) {
        const Transform problem = parse_transform(text);
        const Choice choice = estimate(problem, target::portable_cpu());
        EXPECT_EQ(choice.schedule.target, "portable");
        // Building checks the plan against the definition.
        EXPECT_EQ(planning::Plan::build(problem, choice.schedule)->cpu().name, "portable") << text;
    }
}

TEST(PortablePlanning, IsChosenWhereNoMachineCodeCanRun) {
    setenv("SWIRL_NO_JIT", "1", 1);
    const auto plan = make_plan<planning::Plan>(Transform::dft({1000}), {.use_wisdom = false});
    unsetenv("SWIRL_NO_JIT");
    EXPECT_EQ(plan->cpu().name, "portable");
    EXPECT_EQ(plan->schedule().target, "portable");
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "no machine code can run here";
    EXPECT_EQ(make_plan<planning::Plan>(Transform::dft({1000}), {.use_wisdom = false})->cpu().name,
              target::host_cpu().name);
}

} // namespace portable_test
} // namespace swirl::search
