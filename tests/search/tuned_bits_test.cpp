// Results have the same bits at any number of threads, after tuning too.

#include "base/error.hpp"
#include "plan/check/problem_data.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/cpu/balanced_widths.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/planner.hpp"
#include "search/wisdom/wisdom.hpp"
#include "support/bytes_after.hpp"
#include "support/fake_timer.hpp"
#include "support/own_wisdom.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace swirl::search {
namespace tuned_bits_test {

using support::bytes_after;

std::vector<std::byte> bytes_after(const std::string& problem, const std::string& schedule, int threads = 1) {
    return bytes_after(*planning::Plan::build(parse_transform(problem), transform_schedule(schedule),
                                              {.threads = threads, .sharing = {}, .check = false}));
}

/// Candidates with other widths of a two-sweep, which need not divide its factors; all others can be built.
bool can_be_built(const Problem& problem, const planning::Schedule& schedule) {
    if (to_string(schedule).find("two-sweep") == std::string::npos) return true;
    try {
        planning::Plan::build(std::get<Transform>(problem), schedule, {.check = false});
        return true;
    } catch (const UserError&) {
        return false;
    }
}

/// Schedules of one thread, and what estimates make of them for several.
TEST(BitsOfEstimates, StayTheSameWithWidthsForThreads) {
    int balanced = 0;
    for (const char* text :
         {"dft 116640 float32", "dft 65536", "dft 30011", "rdft 131072 backward", "dft 262144 float32",
          "dft 100x200", "dft 14083x4", "dft 65536 batch=3", "dct2 65536"}) {
        SCOPED_TRACE(text);
        const Transform problem = parse_transform(text);
        const target::Cpu& cpu = target::host_cpu();
        const planning::Schedule one = cpu_transform_space(problem, {.cpu = cpu}).estimate;
        for (const int threads : {2, 5, 16}) {
            const planning::Schedule several = with_balanced_widths(problem, one, cpu, threads);
            EXPECT_TRUE(have_same_arithmetic(problem, one, several)) << to_string(several);
            if (several == one) continue;
            ++balanced;
            EXPECT_TRUE(bytes_after(text, to_string(several), threads) == bytes_after(text, to_string(one)))
                << to_string(several) << " on " << threads << " threads instead of " << to_string(one);
        }
    }
    EXPECT_GE(balanced, 3) << "two-sweeps with wide tiles";
}

/// The time of a schedule is random: the winner is any.
FakeTimer adversary(unsigned seed) {
    const auto random = std::make_shared<std::minstd_rand>(seed);
    return FakeTimer([random](const Problem& problem, const planning::Schedule& schedule) {
        if (!can_be_built(problem, schedule)) return -1.0;
        std::uniform_real_distribution<double> seconds(1e-6, 1e-3);
        // A schedule keeps its time, so that it wins twice.
        std::minstd_rand own(static_cast<unsigned>(std::hash<std::string>{}(to_string(schedule))) ^
                             (*random)() % 2);
        return seconds(own);
    });
}

constexpr const char* problems[] = {
    "dft 4000",
    "dft 4096 inplace",
    "dft 1155 float32 backward",
    "dft 16384",
    "dft 1009 batch=3",
    "dft 64x65",
    "dft 33x128 inplace",
    "rdft 30000",
    "rdft 64x65",
    "dct2 1000",
    "wht 4096",
    "dft 20000 planar",
    "dft 65536 float32",
    "rdft 20x31x16 backward",
};

TEST(TunedPlans, BitsDoNotDependOnThreads) {
    unsigned seed = 1;
    for (const char* text : problems) {
        SCOPED_TRACE(text);
        const Transform problem = parse_transform(text);
        for (const bool is_one_first : {true, false}) {
            const OwnWisdom wisdom;
            std::vector<std::byte> expected;
            for (const int threads : is_one_first ? std::vector{1, 2, 3, 5} : std::vector{5, 2, 1, 3}) {
                FakeTimer timer = adversary(++seed);
                const auto plan =
                    make_plan<planning::Plan>(problem,
                                              {.threads = threads,
                                               .effort = Effort::measure,
                                               .time_budget_seconds = 20, // the timer's: enough to end
                                               .check = false},
                                              &timer);
                const std::vector<std::byte> bytes = bytes_after(*plan);
                if (expected.empty()) expected = bytes;
                EXPECT_TRUE(bytes == expected) << threads << " threads: " << to_string(plan->schedule());
            }
        }
    }
}

TEST(TunedPlans, HaveTheSameBitsAfterRealMeasurements) {
    for (const char* text : {"dft 4000", "dft 10000", "dft 65536 float32", "rdft 5000"}) {
        const OwnWisdom wisdom;
        const Transform problem = parse_transform(text);
        std::vector<std::byte> expected;
        for (const int threads : {2, 1, 3}) {
            const auto plan = make_plan<planning::Plan>(
                problem,
                {.threads = threads, .effort = Effort::measure, .time_budget_seconds = 0.3, .check = false});
            const std::vector<std::byte> bytes = bytes_after(*plan);
            if (expected.empty()) expected = bytes;
            EXPECT_TRUE(bytes == expected) << threads << " threads: " << to_string(plan->schedule());
        }
    }
}

TEST(TunedPlans, TuneOneThreadFirstAndStoreItsSchedule) {
    const OwnWisdom wisdom;
    const Transform problem = parse_transform("dft 4000");
    FakeTimer timer = adversary(1);
    const Options options{.threads = 2, .effort = Effort::measure, .time_budget_seconds = 60};
    const auto plan = make_plan<planning::Plan>(problem, options, &timer);
    const auto of_one = Wisdom(wisdom.file()).find({cpu_key(target::host_cpu()), "dft 4000"});
    ASSERT_TRUE(of_one);
    EXPECT_TRUE(have_same_arithmetic(problem, transform_schedule(of_one->schedule), plan->schedule()));
    const std::size_t before = timer.benchmarks.size();
    make_plan(problem, {.effort = Effort::measure}, &timer);
    EXPECT_EQ(timer.benchmarks.size(), before) << "wisdom knows";
}

TEST(TunedPlans, LeaveOutWisdomOfOtherArithmeticForSeveralThreads) {
    const std::string cpu(target::host_cpu().name);
    const Transform problem = parse_transform("dft 4096");
    const WisdomKey one{cpu_key(target::host_cpu()), "dft 4096"}, two{one.device, "dft 4096, 2 threads"};
    const std::string base = cpu + ": 0 two-sweep(64,8,8)[stockham(8,8)]";
    const auto planned = [&](int threads) {
        return to_string(make_plan<planning::Plan>(problem, {.threads = threads})->schedule());
    };
    for (const auto& [other, is_same] :
         {std::pair(cpu + ": 0 two-sweep(64,16,4)[stockham(8,8)]", true),
          std::pair(cpu + ": 0 two-sweep(64,16,4)[stockham(16,4)]", false),
          std::pair(cpu + ": 0 stockham(16,16,16)", false), std::pair(std::string("nonsense"), false),
          std::pair(cpu + ": 0 two-sweep(64,7,7)[stockham(8,8)]", false)}) {
        const OwnWisdom wisdom;
        const WisdomEntry entry{.schedule = base, .seconds = 1e-6, .found_by = FoundBy::measure};
        WisdomEntry for_two = entry;
        for_two.schedule = other;
        Wisdom(wisdom.file()).store(two, for_two);
        const std::string estimated = planned(1);
        EXPECT_EQ(planned(2), estimated) << "nothing is known for one thread";
        Wisdom(wisdom.file()).store(one, entry);
        if (is_same) {
            EXPECT_EQ(planned(2), other);
            EXPECT_EQ(planned(1), base);
        } else {
            EXPECT_EQ(planned(2), planned(1)) << other;
        }
        EXPECT_EQ(planned(3), planned(1));
    }
}

TEST(WidthsOfTwoSweeps, KeepAllBits) {
    struct Case {
        const char* problem;
        Integer first, second;
        const char* trees;
    };
    for (const Case& c :
         {Case{"dft 4096", 64, 64, "[stockham(8,8)]"}, Case{"dft 4096 float32", 64, 64, "[stockham(8,8)]"},
          Case{"dft 4096 inplace batch=2", 32, 128, "[stockham(16,8),stockham(8,4)]"},
          Case{"dft 3600 planar", 60, 60, "[stockham(10,6)]"},
          Case{"dft 5000 backward batch=3:1 strides=3", 50, 100, "[stockham(10,10),stockham(10,5)]"},
          Case{"dft 5929", 77, 77, "[stockham(11,7)]"}})
        for (const target::Cpu* cpu : target::cpus()) {
            if (!target::host_can_run(*cpu) || cpu->emitted_only) continue;
            std::vector<std::byte> first;
            for (const Integer tile : {1, 2, 3, 4, 5, 7, 8, 10, 16, 20, 32, 64})
                for (const Integer block : {1, 2, 4, 5, 7, 8, 11, 16, 32}) {
                    if (c.second % tile != 0 || c.first % block != 0) continue;
                    const std::string schedule =
                        fmt::format("{}: 0 two-sweep({},{},{}){}", cpu->name, c.first, tile, block, c.trees);
                    const auto bytes = bytes_after(c.problem, schedule, tile % 2 == 0 ? 3 : 1);
                    if (first.empty()) first = bytes;
                    EXPECT_TRUE(bytes == first) << c.problem << " " << schedule;
                }
        }
}

} // namespace tuned_bits_test
} // namespace swirl::search
