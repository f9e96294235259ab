#include "runtime/cpu/team.hpp"
#include "runtime/cpu/affinity.hpp"

#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace {
bool is_in_region_of_openmp = false;
}

/// As a program has it that uses OpenMP.
extern "C" int omp_in_parallel() { return is_in_region_of_openmp ? 1 : 0; }

namespace swirl::runtime {
namespace {

/// Members are waited for however busy the machine is.
const int full_teams = setenv("SWIRL_FULL_TEAMS", "1", 1);

/// How many members a team has that meet a few times.
int members_that_meet(int wanted) {
    std::atomic<int> members = 0;
    run_team(wanted, [&](const TeamMember& member) {
        for (int k = 0; k < 20; ++k) member.barrier();
        ++members;
    });
    return members;
}

TEST(Team, PartitionsCoverAllIterationsInGrains) {
    for (const std::int64_t iterations : {1, 2, 7, 16, 63, 64, 1000})
        for (const std::int64_t grain : {1, 2, 5, 8})
            for (int members = 1; members <= 9; ++members) {
                std::int64_t next = 0;
                for (int member = 0; member < members; ++member) {
                    const IterationRange share = partition_of(iterations, grain, member, members);
                    EXPECT_EQ(share.first, next);
                    EXPECT_LE(share.first, share.last);
                    EXPECT_TRUE(share.first % grain == 0 || share.first == iterations);
                    EXPECT_LE(share.last - share.first,
                              ((iterations + grain - 1) / grain / members + 1) * grain);
                    next = share.last;
                }
                EXPECT_EQ(next, iterations);
            }
}

TEST(Team, BarriersPublishWrites) {
    std::vector<int> written(4, 0), sums(4, 0);
    int size = 0;
    run_team(4, [&](const TeamMember& member) {
        const auto index = static_cast<std::size_t>(member.index());
        if (index == 0) size = member.size();
        written[index] = 1 << index;
        member.barrier();
        for (const int each : written) sums[index] += each;
    });
    ASSERT_GE(size, 1);
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(sums[static_cast<std::size_t>(rank)], (1 << size) - 1);
}

TEST(Team, OneInsideAnotherIsOneThread) {
    std::vector<int> inside(2, 0);
    run_team(2, [&](const TeamMember& member) {
        run_team(3, [&](const TeamMember& inner) {
            inner.barrier();
            inside[static_cast<std::size_t>(member.index())] += inner.size();
        });
    });
    EXPECT_EQ(inside[0], 1);
    EXPECT_EQ(team_size(3), 3);
}

TEST(Team, MembersRoundAsTheCaller) {
    std::vector<int> rounding(3, -1);
    std::fesetround(FE_DOWNWARD);
    run_team(3, [&](const TeamMember& member) {
        rounding[static_cast<std::size_t>(member.index())] = std::fegetround();
    });
    std::fesetround(FE_TONEAREST);
    for (const int mode : rounding) EXPECT_TRUE(mode == FE_DOWNWARD || mode == -1);
    EXPECT_EQ(rounding[0], FE_DOWNWARD);
    run_team(3, [&](const TeamMember& member) {
        rounding[static_cast<std::size_t>(member.index())] = std::fegetround();
    });
    for (const int mode : rounding) EXPECT_TRUE(mode == FE_TONEAREST || mode == -1);
}

TEST(Team, HandsOnWhatAMemberThrows) {
    for (const int thrower : {0, 2}) {
        std::atomic<int> others = 0;
        EXPECT_THROW(run_team(3,
                              [&](const TeamMember& member) {
                                  if (member.index() == thrower) throw std::bad_alloc();
                                  ++others;
                              }),
                     std::bad_alloc);
        EXPECT_EQ(others, 2);
    }
    run_team(3, [](const TeamMember&) {});
}

TEST(Team, WorksInForkedProcessesAndTheirChildren) {
    if (!children_may_start_threads) GTEST_SKIP() << not_with_sanitizers;
    EXPECT_EQ(members_that_meet(3), 3);
    EXPECT_TRUE(is_true_in_a_child([] {
        return members_that_meet(3) == 3 && is_true_in_a_child([] { return members_that_meet(2) == 2; }) &&
               members_that_meet(4) == 4;
    }));
    EXPECT_EQ(members_that_meet(3), 3);
}

TEST(Team, WorksAfterForkDuringAnotherTeam) {
    if (!children_may_start_threads) GTEST_SKIP() << not_with_sanitizers;
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop) members_that_meet(2);
    });
    for (int k = 0; k < 20; ++k) EXPECT_TRUE(is_true_in_a_child([] { return members_that_meet(2) == 2; }));
    stop = true;
    other.join();
}

TEST(Team, EndsWithTheThreadThatItHelps) {
    for (int k = 0; k < 20; ++k) std::thread([] { EXPECT_EQ(members_that_meet(3), 3); }).join();
}

TEST(Team, RunsTeamsOfAllSizes) {
    for (const int size : {2, 5, 3, 1, 4, 2}) EXPECT_EQ(members_that_meet(size), size);
}

TEST(Team, HasOneThreadInOpenMPRegions) {
    is_in_region_of_openmp = true;
    EXPECT_EQ(team_size(3), 1);
    EXPECT_EQ(members_that_meet(3), 1);
    is_in_region_of_openmp = false;
    EXPECT_EQ(team_size(3), 3);
}

TEST(Team, SleepsWhereWaitingIsLong) {
    timespec before{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    run_team(3, [](const TeamMember& member) {
        if (member.index() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        member.barrier();
    });
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double seconds = static_cast<double>(after.tv_sec - before.tv_sec) +
                           1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
    EXPECT_LT(seconds, 0.1);
}

/// While alive, teams are as for users: without `full_teams`.
class UsualTeams {
public:
    UsualTeams() { unsetenv("SWIRL_FULL_TEAMS"); }
    ~UsualTeams() { setenv("SWIRL_FULL_TEAMS", "1", 1); }
};

/// A caller whose team is new.
template <class F> void as_new_caller(F&& f) { std::thread(f).join(); }

/// Other threads keep the processors busy, so that members are late for most calls.
TEST(Team, SkipsLateThreads) {
    const UsualTeams usual;
    const Busy busy([](int) {}, 8 * processors());
    as_new_caller([] {
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < 200; ++k) {
            std::vector<std::atomic<int>> participated(16);
            int size = 0;
            run_team(16, [&](const TeamMember& member) {
                if (member.index() == 0) size = member.size();
                ++participated[static_cast<std::size_t>(member.index())];
                member.barrier();
            });
            for (int rank = 0; rank < 16; ++rank)
                ASSERT_EQ(participated[static_cast<std::size_t>(rank)], rank < size ? 1 : 0);
        }
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    });
}

TEST(Team, IsOneThreadOnOneProcessor) {
    const UsualTeams usual;
    as_new_caller([] {
        const PinnedThread pinned;
        if (!pinned.is_pinned()) return;
        for (int k = 0; k < 20; ++k) EXPECT_EQ(members_that_meet(8), 1);
    });
}

/// As under TBB, where each of its threads may make a call.
TEST(Team, TakesNoProcessorThatTeamsOfOthersUse) {
    const UsualTeams usual;
    std::atomic<int> at_work = 0;
    std::atomic<bool> stop = false;
    std::vector<std::thread> others; // each at work in a team, of one if need be
    for (int k = 0; k < processors(); ++k)
        others.emplace_back([&] {
            run_team(2, [&](const TeamMember& member) {
                if (member.index() == 0) ++at_work;
                while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
        });
    while (at_work < processors()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    as_new_caller([] {
        for (int k = 0; k < 20; ++k) EXPECT_EQ(members_that_meet(8), 1);
    });
    const auto has_none_of_these_teams = [] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < end) { // it may take some calls until a member is in time
            if (members_that_meet(2) == std::min(2, processors())) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    };
    EXPECT_TRUE(!children_may_start_threads || is_true_in_a_child(has_none_of_these_teams));
    stop = true;
    for (std::thread& other : others) other.join();
}

/// After a call, workers wait for the next for some microseconds at most before they sleep.
TEST(Team, SleepsBetweenCalls) {
    EXPECT_EQ(members_that_meet(4), 4);
    timespec before{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double seconds = static_cast<double>(after.tv_sec - before.tv_sec) +
                           1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
    EXPECT_LT(seconds, 0.01);
}

TEST(Team, HasAtLeastOneProcessor) { EXPECT_GE(processors(), 1); }

} // namespace
} // namespace swirl::runtime
