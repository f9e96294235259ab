#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/timer.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "support/bytes_after.hpp"
#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace swirl::search {
namespace threads_test {

/// Members are waited for however busy the machine is.
const int full_teams = setenv("SWIRL_FULL_TEAMS", "1", 1);

using planning::Plan;
using planning::ProblemData;
using support::bytes_after;

/// Plans share loops however short they are.
std::shared_ptr<const Plan> plan_for(const Transform& problem, int threads) {
    return Plan::build(problem, estimate(problem, target::host_cpu()).schedule,
                       {.threads = threads, .sharing = {}, .check = false});
}

constexpr const char* problems[] = {
    "dft 65536",
    "dft 32768 float32 inplace",
    "dft 1155 backward",
    "dft 1009",
    "dft 4097 scale=0.25",
    "dft 24 batch=1001",
    "dft 1000 batch=7 inplace",
    "dft 5 batch=3x11",
    "dft 65536 batch=3",
    "dft 32805 float32 batch=5",
    "dft 30011 batch=2 inplace",
    "dft 65536 batch=3:1 strides=3",
    "rdft 65536 batch=3",
    "dct2 30000 batch=2",
    "dft 14083x4",
    "dft 64x65",
    "dft 33x128 inplace",
    "dft 12x13x14",
    "dft 40x9x5 planar",
    "dft 512 planar batch=9",
    "rdft 30000",
    "rdft 1001 backward",
    "rdft 64x65",
    "rdft 20x31x16 backward",
    "rdft 48x50 inplace",
    "dct2 1000",
    "dct3 77 batch=19",
    "dct4 256x48",
    "dst2 81 batch=5",
    "wht 4096",
    "wht_sequency 4096",
    "wht_dyadic 64x128 inplace",
    "dct7 1000 batch=3",
    "rconvolution 60000 batch=2",
    "rconvolution 96x80 spectrum=each batch=3",
    "formula CZT(3000, 2000, 0.1, 0.001)",
    "wht 64x32 inplace",
};

TEST(Threads, BitsDoNotDependOnTheirCount) {
    int shared = 0;
    for (const char* text : problems) {
        SCOPED_TRACE(text);
        const Transform problem = parse_transform(text);
        const std::vector<std::byte> expected = bytes_after(*plan_for(problem, 1));
        for (const int threads : {2, 3, 5, 8}) {
            const auto plan = plan_for(problem, threads);
            shared += plan->threads() > 1;
            EXPECT_TRUE(bytes_after(*plan) == expected) << threads;
        }
    }
    EXPECT_GE(shared, 80) << "most plans are shared";
}

TEST(Threads, ShareTheLoopsInsideFewLargeTransforms) {
    const auto repetitions = [](const char* problem, int threads) {
        Integer most = 1;
        for (const planning::PassDescription& pass : plan_for(parse_transform(problem), threads)->describe())
            for (const planning::PhaseDescription& phase : pass.phases)
                most = std::max(most, phase.is_parallel ? phase.repetitions : 1);
        return most;
    };
    EXPECT_EQ(repetitions("dft 65536 batch=3", 8), 3);
    EXPECT_EQ(repetitions("dft 65536 batch=3", 3), 1) << "each thread has a transform";
    EXPECT_EQ(repetitions("dft 64 batch=3", 8), 1) << "too short for barriers";
}

TEST(Threads, ServeConcurrentCallers) {
    const Transform problem = parse_transform("dft 96x80");
    const auto plan = plan_for(problem, 3);
    ASSERT_EQ(plan->threads(), 3);
    const std::vector<std::byte> expected = bytes_after(*plan);
    std::vector<std::thread> callers;
    std::vector<int> agree(5, 0);
    for (int& mine : agree)
        callers.emplace_back([&] {
            for (int k = 0; k < 20; ++k) mine += bytes_after(*plan) == expected;
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(std::count(agree.begin(), agree.end(), 20), 5);
}

TEST(Threads, WorkInTheCallersWorkspace) {
    const Transform problem = parse_transform("dft 256x240");
    const auto plan = plan_for(problem, 4);
    EXPECT_GT(plan->workspace_bytes(), plan_for(problem, 1)->workspace_bytes()) << "each has its own part";
    const runtime::AlignedBuffer workspace(plan->workspace_bytes() + 64);
    auto* const end = static_cast<unsigned char*>(workspace.data()) + plan->workspace_bytes();
    std::memset(end, 0x5a, 64);
    ProblemData data(problem);
    data.fill(1);
    plan->execute(data.arguments(), workspace.data());
    EXPECT_TRUE(std::all_of(end, end + 64, [](unsigned char byte) { return byte == 0x5a; }));
}

TEST(Workspace, MustNotOverlapData) {
    for (const char* text : {"dft 256x240", "dft 256x240 inplace", "dft 256x240 planar"}) {
        const Transform problem = parse_transform(text);
        const auto plan = plan_for(problem, 1);
        ASSERT_GT(plan->workspace_bytes(), 0U);
        ProblemData data(problem);
        const planning::Arguments arguments = data.arguments();
        for (const auto& [name, array] : {std::pair<const char*, const void*>{"input", arguments.input},
                                          {"output", arguments.output},
                                          {"imaginary input", arguments.input_imaginary},
                                          {"imaginary output", arguments.output_imaginary}}) {
            if (array == nullptr) continue;
            try {
                plan->execute(arguments, const_cast<void*>(array));
                ADD_FAILURE() << text << ": in the " << name;
            } catch (const UserError& error) {
                const std::string message = error.what();
                EXPECT_NE(message.find("workspace = "), std::string::npos) << message;
                EXPECT_NE(message.find("overlap"), std::string::npos) << message;
            }
        }
    }
}

TEST(Threads, ShareAPlanInAForkedProcessToo) {
    if (!children_may_start_threads) GTEST_SKIP() << not_with_sanitizers;
    const auto plan = plan_for(parse_transform("dft 96x80"), 3);
    const std::vector<std::byte> expected = bytes_after(*plan);
    EXPECT_TRUE(is_true_in_a_child([&] { return bytes_after(*plan) == expected; }));
}

TEST(Threads, AreNotUsedForSmallTransforms) {
    const auto threads_for = [](const char* text) {
        const Transform problem = parse_transform(text);
        return Plan::build(problem, estimate(problem, target::host_cpu()).schedule, {.threads = 2})
            ->threads();
    };
    EXPECT_EQ(threads_for("dft 64"), 1);
    EXPECT_EQ(threads_for("dft 1024"), 1);
    EXPECT_EQ(threads_for("dft 262144"), 2);
}

/// Short vectors of shared loops are other code than whole ones, which rounds differently.
TEST(Threads, ThatDoNotPayLeaveTheCodeOfOneThread) {
    const target::Cpu& avx2 = target::cpu_named("avx2");
    if (!target::host_can_run(avx2)) GTEST_SKIP() << "needs AVX2";
    for (const char* text : {"r2hc 190", "r2hc 209", "r2hc 285", "dct4 209", "dct5 105", "dst7 104"}) {
        const Transform problem = parse_transform(text);
        const auto plan_of = [&](int threads) {
            return Plan::build(problem, estimate(problem, avx2).schedule,
                               {.threads = threads, .check = false});
        };
        EXPECT_EQ(plan_of(4)->threads(), 1) << text;
        EXPECT_TRUE(bytes_after(*plan_of(4)) == bytes_after(*plan_of(1))) << text;
    }
}

TEST(Threads, StayWithTheCallerInsideATeam) {
    const Transform problem = parse_transform("dft 96x80");
    const auto plan = plan_for(problem, 4);
    const std::vector<std::byte> expected = bytes_after(*plan);
    std::vector<int> agree(2, 0), sizes(2, 0);
    runtime::run_team(2, [&](const runtime::TeamMember& member) {
        const auto index = static_cast<std::size_t>(member.index());
        sizes[index] = runtime::team_size(4);
        agree[index] = bytes_after(*plan) == expected;
    });
    EXPECT_EQ(sizes, std::vector<int>(2, 1));
    EXPECT_EQ(agree, std::vector<int>(2, 1));
}

TEST(Threads, ComputeInTheCallersFloatingPointEnvironment) {
    const Transform problem = parse_transform("dft 96x80");
    const auto one = plan_for(problem, 1), three = plan_for(problem, 3);
    const std::vector<std::byte> to_nearest = bytes_after(*one);
    std::fesetround(FE_UPWARD);
    const std::vector<std::byte> upward = bytes_after(*one), upward_by_three = bytes_after(*three);
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(upward == upward_by_three);
    EXPECT_FALSE(upward == to_nearest);
    EXPECT_TRUE(bytes_after(*three) == to_nearest);
}

TEST(Threads, AreAtLeastOne) {
    const Transform problem = parse_transform("dft 8");
    EXPECT_THROW(plan_for(problem, 0), UserError);
}

} // namespace threads_test
} // namespace swirl::search
