#include "runtime/cpu/parallel_for.hpp"

#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

namespace swirl::runtime {
namespace parallel_for_test {

/// Seconds of one thread, so that members are waited for however busy the machine is.
constexpr double long_work = 10;

struct Log {
    std::atomic<int> calls = 0, jobs = 0;
};

void count_job(Log& log, void* (*work)(char*), char* job) {
    work(job);
    ++log.jobs;
}

/// One thread for each job, as FFTW's manual has it for OpenMP.
void on_threads(void* (*work)(char*), char* jobs, std::size_t bytes, int count, void* data) {
    Log& log = *static_cast<Log*>(data);
    ++log.calls;
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k)
        threads.emplace_back([=, &log] { count_job(log, work, jobs + static_cast<std::size_t>(k) * bytes); });
    for (std::thread& thread : threads) thread.join();
}

/// All jobs on the caller, the last first.
void one_by_one(void* (*work)(char*), char* jobs, std::size_t bytes, int count, void* data) {
    Log& log = *static_cast<Log*>(data);
    ++log.calls;
    for (int k = count - 1; k >= 0; --k) count_job(log, work, jobs + static_cast<std::size_t>(k) * bytes);
}

/// Two threads take jobs, as a pool with fewer threads than there are jobs.
void on_two_threads(void* (*work)(char*), char* jobs, std::size_t bytes, int count, void* data) {
    Log& log = *static_cast<Log*>(data);
    ++log.calls;
    std::atomic<int> next = 0;
    const auto take = [&] {
        for (int k = next++; k < count; k = next++)
            count_job(log, work, jobs + static_cast<std::size_t>(k) * bytes);
    };
    std::thread other(take);
    take();
    other.join();
}

/// Teams on the program's threads; of as many members as wanted, on few processors too.
class ProgramsThreads : public testing::Test {
protected:
    void use(ParallelFor::Function loop) { set_parallel_for({loop, &log}); }
    ~ProgramsThreads() override { set_parallel_for({nullptr, nullptr}); }

    /// Members that met a few times, by number.
    static std::vector<int> members_that_meet(int wanted, double seconds = long_work) {
        std::vector<int> members(static_cast<std::size_t>(wanted), 0);
        std::atomic<int> size = 0;
        run_team(
            wanted,
            [&](const TeamMember& member) {
                for (int k = 0; k < 20; ++k) member.barrier();
                ++members[static_cast<std::size_t>(member.index())];
                size = member.size();
            },
            seconds);
        EXPECT_EQ(std::accumulate(members.begin(), members.end(), 0), size);
        members.resize(static_cast<std::size_t>(std::max(size.load(), 0)));
        return members;
    }

    Log log;

private:
    const int full_teams_ = setenv("SWIRL_FULL_TEAMS", "1", 1);
};

TEST_F(ProgramsThreads, FormTeams) {
    use(on_threads);
    for (const int size : {2, 5, 3})
        EXPECT_EQ(members_that_meet(size), std::vector<int>(static_cast<std::size_t>(size), 1));
    EXPECT_EQ(log.calls, 3);
    EXPECT_EQ(log.jobs, 10);
}

TEST_F(ProgramsThreads, AreNotNeededForATeamOfOne) {
    use(on_threads);
    EXPECT_EQ(members_that_meet(1), std::vector{1});
    EXPECT_EQ(log.calls, 0);
}

TEST_F(ProgramsThreads, MayRunJobsOneByOne) {
    use(one_by_one);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(members_that_meet(4, 1e-3), std::vector{1});
    EXPECT_EQ(log.jobs, 4 * log.calls);
    EXPECT_GE(log.calls, 1);
}

TEST_F(ProgramsThreads, MayBeFewerThanJobs) {
    use(on_two_threads);
    EXPECT_EQ(members_that_meet(5, 1), (std::vector{1, 1}));
    EXPECT_EQ(log.jobs, 5);
}

TEST_F(ProgramsThreads, MayFailToRunAnyJob) {
    use([](void* (*)(char*), char*, std::size_t, int, void*) {});
    EXPECT_EQ(members_that_meet(3), std::vector{1});
}

TEST_F(ProgramsThreads, AreAskedNoMoreWhenTakenBack) {
    use(on_threads);
    set_parallel_for({nullptr, nullptr});
    EXPECT_EQ(members_that_meet(3), std::vector(3, 1));
    EXPECT_EQ(log.calls, 0);
}

TEST_F(ProgramsThreads, InheritRoundingAndPropagateExceptions) {
    use(on_threads);
    std::array<int, 3> rounding{-1, -1, -1};
    std::fesetround(FE_DOWNWARD);
    EXPECT_THROW(run_team(
                     3,
                     [&](const TeamMember& member) {
                         rounding[static_cast<std::size_t>(member.index())] = std::fegetround();
                         if (member.index() == 1) throw std::bad_alloc();
                     },
                     long_work),
                 std::bad_alloc);
    std::fesetround(FE_TONEAREST);
    for (const int mode : rounding) EXPECT_EQ(mode, FE_DOWNWARD);
}

TEST_F(ProgramsThreads, AreOneTeamEach) {
    use(on_threads);
    std::atomic<int> inner = 0;
    run_team(
        2, [&](const TeamMember&) { run_team(3, [&](const TeamMember& member) { inner += member.size(); }); },
        long_work);
    EXPECT_EQ(inner, 2);
    EXPECT_EQ(log.calls, 1);
}

TEST_F(ProgramsThreads, ServeSeveralCallersAtOnce) {
    use(on_threads);
    std::vector<std::thread> callers;
    std::atomic<int> complete = 0;
    for (int k = 0; k < 4; ++k)
        callers.emplace_back([&] { complete += members_that_meet(3) == std::vector(3, 1) ? 1 : 0; });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(complete, 4);
}

TEST_F(ProgramsThreads, AreThoseOfTheChildAfterFork) {
    if (!children_may_start_threads) GTEST_SKIP() << not_with_sanitizers;
    use(on_threads);
    EXPECT_EQ(members_that_meet(2), std::vector(2, 1));
    EXPECT_TRUE(is_true_in_a_child([] { return members_that_meet(2) == std::vector(2, 1); }));
}

} // namespace parallel_for_test
} // namespace swirl::runtime
