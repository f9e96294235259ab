#include "problem/syntax.hpp"
#include "search/planner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace swirl::search {
namespace recent_plans_test {

std::shared_ptr<const planning::Plan> planned(const char* problem, Options options = {}) {
    options.use_wisdom = false;
    return make_plan<planning::Plan>(parse_transform(problem), options);
}

TEST(RecentPlans, AreSharedByThoseWhoAskForTheSame) {
    EXPECT_EQ(planned("dft 48"), planned("dft 48"));
    EXPECT_NE(planned("dft 48"), planned("dft 48 backward"));
    EXPECT_NE(planned("dft 48"), planned("dft 48", {.check = false}));
    EXPECT_NE(planned("dft 48"), planned("dft 48", {.cpu = "portable"}));
}

TEST(RecentPlans, AreForgottenWhenManyOthersCameSince) {
    const auto before = planned("dft 48");
    for (int n = 2; n <= 40; ++n) planned(("dft " + std::to_string(n)).c_str());
    EXPECT_NE(planned("dft 48"), before);
}

TEST(RecentPlans, AreNotKeptWhereTheirTablesAreLarge) {
    EXPECT_NE(planned("dft 131072", {.check = false}), planned("dft 131072", {.check = false}));
}

TEST(RecentPlans, ServeManyThreadsAtOnce) {
    std::vector<std::shared_ptr<const planning::Plan>> plans(8);
    std::vector<std::thread> threads;
    for (auto& plan : plans) threads.emplace_back([&plan] { plan = planned("dft 36"); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& plan : plans) EXPECT_EQ(to_text(plan->problem()), "dft 36");
}

} // namespace recent_plans_test
} // namespace swirl::search
