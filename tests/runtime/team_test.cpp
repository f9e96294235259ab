#include "runtime/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <new>
#include <vector>

namespace swirl::runtime {
namespace {

TEST(Team, SharesCoverAllIterationsOnceInMultiplesOfTheGrain) {
    for (const std::int64_t iterations : {1, 2, 7, 16, 63, 64, 1000})
        for (const std::int64_t grain : {1, 2, 5, 8})
            for (int members = 1; members <= 9; ++members) {
                std::int64_t next = 0;
                for (int member = 0; member < members; ++member) {
                    const Share share = share_of(iterations, grain, member, members);
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

TEST(Team, MembersSeeWhatOthersWroteBeforeTheyMet) {
    std::vector<int> written(4, 0), sums(4, 0);
    int size = 0;
    run_team(4, [&](const TeamMember& member) {
        const auto number = static_cast<std::size_t>(member.number());
        if (number == 0) size = member.size();
        written[number] = 1 << number;
        member.meet();
        for (const int each : written) sums[number] += each;
    });
    ASSERT_GE(size, 1);
    for (int number = 0; number < size; ++number)
        EXPECT_EQ(sums[static_cast<std::size_t>(number)], (1 << size) - 1);
}

TEST(Team, OneInsideAnotherIsOneThread) {
    std::vector<int> inside(2, 0);
    run_team(2, [&](const TeamMember& member) {
        run_team(3, [&](const TeamMember& inner) {
            inner.meet();
            inside[static_cast<std::size_t>(member.number())] += inner.size();
        });
    });
    EXPECT_EQ(inside[0], 1);
    EXPECT_EQ(team_size(3), 3);
}

TEST(Team, MembersRoundAsTheCaller) {
    std::vector<int> rounding(3, -1);
    std::fesetround(FE_DOWNWARD);
    run_team(3, [&](const TeamMember& member) {
        rounding[static_cast<std::size_t>(member.number())] = std::fegetround();
    });
    std::fesetround(FE_TONEAREST);
    for (const int mode : rounding) EXPECT_TRUE(mode == FE_DOWNWARD || mode == -1);
    EXPECT_EQ(rounding[0], FE_DOWNWARD);
    run_team(3, [&](const TeamMember& member) {
        rounding[static_cast<std::size_t>(member.number())] = std::fegetround();
    });
    for (const int mode : rounding) EXPECT_TRUE(mode == FE_TONEAREST || mode == -1);
}

TEST(Team, HandsOnWhatAMemberThrows) {
    for (const int thrower : {0, 2}) {
        std::atomic<int> others = 0;
        EXPECT_THROW(run_team(3,
                              [&](const TeamMember& member) {
                                  if (member.number() == thrower) throw std::bad_alloc();
                                  ++others;
                              }),
                     std::bad_alloc);
        EXPECT_EQ(others, 2);
    }
    run_team(3, [](const TeamMember&) {});
}

TEST(Team, HasAtLeastOneProcessor) { EXPECT_GE(processors(), 1); }

} // namespace
} // namespace swirl::runtime
