#include "runtime/cpu/work_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace swirl::runtime {

TEST(WorkQueues, EveryTaskRunsOnce) {
    constexpr int members = 4, tasks = 1000;
    WorkQueues queues(members);
    std::array<std::array<std::atomic<int>, tasks>, members> runs{};
    std::vector<std::thread> threads;
    for (int member = 0; member < members; ++member)
        threads.emplace_back([&, member] {
            queues.run(member, members, tasks, [&](int owner, int task) {
                ++runs[static_cast<std::size_t>(owner)][static_cast<std::size_t>(task)];
            });
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& of_owner : runs)
        EXPECT_TRUE(
            std::all_of(of_owner.begin(), of_owner.end(), [](const auto& count) { return count == 1; }));
}

TEST(WorkQueues, MembersTakeTasksOfOthersAfterTheirOwn) {
    WorkQueues queues(3);
    std::vector<std::pair<int, int>> taken;
    queues.run(1, 3, 2, [&](int owner, int task) { taken.emplace_back(owner, task); });
    EXPECT_EQ(taken, (std::vector<std::pair<int, int>>{{1, 0}, {1, 1}, {2, 0}, {2, 1}, {0, 0}, {0, 1}}));
    queues.run(0, 3, 2, [&](int, int) { FAIL() << "nothing is left"; });
}

} // namespace swirl::runtime
