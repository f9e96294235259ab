#include "search/planner.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/timer.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/wisdom/wisdom.hpp"
#include "support/fake_timer.hpp"
#include "support/own_wisdom.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <vector>

namespace swirl::search {
namespace make_plan_test {

/// Whose entries a test can see.
class OwnWisdom : public swirl::OwnWisdom {
public:
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries() const { return Wisdom(file()).entries(); }
};

double first_output_of_ones(const planning::Plan& plan, std::size_t points) {
    std::vector<std::complex<double>> x(points, 1.0), y(points);
    plan.execute({.input = x.data(), .output = y.data()});
    return y[0].real();
}

TEST(MakePlan, TakesTheModelsChoiceUnlessItIsToMeasure) {
    const OwnWisdom wisdom;
    const Transform problem = parse_transform("dft 64");
    const auto plan = make_plan<planning::Plan>(problem);
    EXPECT_EQ(plan->schedule(), estimate(problem, target::host_cpu()).schedule);
    EXPECT_FALSE(std::filesystem::exists(wisdom.file())) << "nothing was learned";
}

TEST(MakePlan, RemembersWhatItMeasured) {
    const OwnWisdom wisdom;
    const Transform problem = parse_transform("dft 96");
    int lines = 0;
    const auto measured = make_plan<planning::Plan>(
        problem,
        {.effort = Effort::measure, .time_budget_seconds = 10, .progress = [&](const auto&) { ++lines; }});
    EXPECT_GT(lines, 0);
    EXPECT_NEAR(first_output_of_ones(*measured, 96), 96, 1e-12);
    const auto entries = wisdom.entries();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].first.problem, "dft 96");
    EXPECT_EQ(entries[0].second.schedule, planning::to_string(measured->schedule()));
    EXPECT_EQ(entries[0].second.found_by, FoundBy::measure);
    EXPECT_GT(entries[0].second.seconds, 0);
    EXPECT_LT(entries[0].second.seconds, 1e-3);
    EXPECT_EQ(make_plan<planning::Plan>(problem)->schedule(), measured->schedule());
}

TEST(MakePlan, FollowsWisdomWhereItFits) {
    const OwnWisdom wisdom;
    const Transform problem = parse_transform("dft 64");
    const planning::Schedule best = estimate(problem, target::host_cpu()).schedule;
    const std::string other = std::string(target::host_cpu().name) + ": 0 stockham(2,32)";
    ASSERT_NE(planning::to_string(best), other);
    const WisdomKey key{host_key(this_host()), "dft 64"};
    Wisdom(wisdom.file()).store(key, {.schedule = other, .seconds = 1e-9, .found_by = FoundBy::measure});
    EXPECT_EQ(planning::to_string(make_plan<planning::Plan>(problem)->schedule()), other);
    EXPECT_EQ(make_plan<planning::Plan>(problem, {.use_wisdom = false})->schedule(), best);
}

TEST(MakePlan, DropsWisdomThatDoesNotFit) {
    for (const char* schedule :
         {"nonsense", "avx512: 0 stockham(5,5)", "sse2: 0 codelet", "avx512: 1 codelet"}) {
        const OwnWisdom wisdom;
        const Transform problem = parse_transform("dft 64");
        const WisdomKey key{host_key(this_host()), "dft 64"};
        Wisdom(wisdom.file())
            .store(key, {.schedule = schedule, .seconds = 1e-9, .found_by = FoundBy::measure});
        const auto plan = make_plan<planning::Plan>(problem);
        EXPECT_EQ(plan->schedule(), estimate(problem, target::host_cpu()).schedule) << schedule;
        EXPECT_TRUE(wisdom.entries().empty()) << schedule;
    }
}

TEST(MakePlan, MeasuresWithinItsBudget) {
    const OwnWisdom wisdom;
    for (const char* text :
         {"dft 256 inplace", "dft 16x32", "dft 8x8x8 float32 inplace", "dft 64 planar batch=4"}) {
        const double start = runtime::monotonic_seconds();
        const auto plan = make_plan<planning::Plan>(parse_transform(text),
                                                    {.effort = Effort::measure, .time_budget_seconds = 0.2});
        EXPECT_EQ(to_text(plan->problem()), text);
        EXPECT_LT(runtime::monotonic_seconds() - start, 3) << text;
    }
}

// ---- wisdom from elsewhere -----------------------------------------------------------------------------------

const WisdomKey key_here{host_key(this_host()), "dft 64"};

std::string other_schedule() { return std::string(target::host_cpu().name) + ": 0 six-step(8,8)"; }

/// Every schedule takes a second but one.
FakeTimer times_with(const std::string& schedule, double seconds) {
    return FakeTimer::by_text([=](const std::string& timed) { return timed == schedule ? seconds : 1.0; });
}

std::string planned(Effort effort, Timer* timer = nullptr, double budget = 60) {
    return planning::to_string(make_plan<planning::Plan>(parse_transform("dft 64"),
                                                         {.effort = effort, .time_budget_seconds = budget},
                                                         timer)
                                   ->schedule());
}

std::string estimated() {
    return planning::to_string(estimate(parse_transform("dft 64"), target::host_cpu()).schedule);
}

TEST(WisdomOfAnotherMachine, DoesNotCountForAnEstimate) {
    const OwnWisdom wisdom;
    std::stringstream lines;
    Wisdom theirs(":memory:");
    theirs.store({"another machine", "dft 64"},
                 {.schedule = other_schedule(), .seconds = 1e-12, .found_by = FoundBy::measure});
    theirs.export_lines(lines);
    Wisdom(wisdom.file()).import_lines(lines);
    EXPECT_EQ(planned(Effort::estimate), estimated());
}

TEST(WisdomOfAnotherMachine, IsACandidateWhereItIsTimed) {
    for (const double seconds : {0.5, 2.0}) {
        const OwnWisdom wisdom;
        Wisdom(wisdom.file())
            .store({"another machine", "dft 64"},
                   {.schedule = other_schedule(), .seconds = 1e-12, .found_by = FoundBy::measure});
        FakeTimer times = times_with(other_schedule(), seconds);
        EXPECT_EQ(planned(Effort::measure, &times), seconds < 1 ? other_schedule() : estimated());
        EXPECT_EQ(Wisdom(wisdom.file()).find(key_here)->seconds, std::min(seconds, 1.0)) << "as timed here";
    }
}

TEST(WisdomOfAnotherVersion, DoesNotCountForAnEstimate) {
    const OwnWisdom wisdom;
    const WisdomEntry entry{other_schedule(), 1e-12, FoundBy::measure, 1, "0.0.1"};
    Wisdom(wisdom.file()).store(key_here, entry);
    EXPECT_EQ(planned(Effort::estimate), estimated());
    EXPECT_EQ(Wisdom(wisdom.file()).find(key_here), entry) << "that version may still want it";
}

TEST(WisdomOfAnotherVersion, IsComparedWithTheEstimateBeforeItIsTrusted) {
    for (const double seconds : {0.5, 1.0, 2.0}) {
        const OwnWisdom wisdom;
        Wisdom(wisdom.file()).store(key_here, {other_schedule(), 1e-12, FoundBy::measure, 1, "0.0.1"});
        FakeTimer times = times_with(other_schedule(), seconds);
        EXPECT_EQ(planned(Effort::measure, &times), seconds <= 1 ? other_schedule() : estimated()) << seconds;
        EXPECT_EQ(times.benchmarks.front().schedules,
                  (std::vector<std::string>{estimated(), other_schedule()}));
        const WisdomEntry now = *Wisdom(wisdom.file()).find(key_here);
        EXPECT_NE(now.version, "0.0.1");
        EXPECT_EQ(now.seconds, std::min(seconds, 1.0));
        FakeTimer again = times_with(other_schedule(), seconds);
        planned(Effort::measure, &again);
        EXPECT_TRUE(again.benchmarks.empty()) << "found once";
    }
}

TEST(WisdomOfAMeasurement, SeedsExhaustiveSearches) {
    const OwnWisdom wisdom;
    Wisdom(wisdom.file())
        .store(key_here, {.schedule = other_schedule(), .seconds = 1e-12, .found_by = FoundBy::measure});
    const auto seconds = [](const std::string& schedule) {
        return schedule.find(": 0 four-step(4,16)") != std::string::npos ? 0.5 : 1.0;
    };
    FakeTimer times = FakeTimer::by_text(seconds);
    const std::string found = planned(Effort::exhaustive, &times, 0);
    EXPECT_EQ(seconds(found), 0.5) << found;
    EXPECT_EQ(Wisdom(wisdom.file()).find(key_here)->found_by, FoundBy::exhaustive);
    FakeTimer again = FakeTimer::by_text(seconds);
    EXPECT_EQ(planned(Effort::exhaustive, &again, 0), found);
    EXPECT_EQ(planned(Effort::measure, &again), found);
    EXPECT_EQ(planned(Effort::estimate, &again), found);
    EXPECT_TRUE(again.benchmarks.empty());
}

TEST(WisdomOfAnEstimate, IsNotTrusted) {
    const OwnWisdom wisdom;
    Wisdom(wisdom.file()).store(key_here, {.schedule = other_schedule(), .seconds = 1e-12});
    EXPECT_EQ(planned(Effort::estimate), estimated());
    FakeTimer times = times_with(other_schedule(), 2);
    EXPECT_EQ(planned(Effort::measure, &times), estimated());
    EXPECT_EQ(Wisdom(wisdom.file()).find(key_here)->found_by, FoundBy::measure);
}

TEST(MakePlan, SaysExhaustiveOnlyWhereTimeSufficed) {
    const OwnWisdom wisdom;
    FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1e-3; }, 0.2);
    planned(Effort::exhaustive, &times, 3);
    EXPECT_EQ(Wisdom(wisdom.file()).find(key_here)->found_by, FoundBy::measure);
}

TEST(MakePlan, StoresSubproblemResults) {
    const OwnWisdom wisdom;
    FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1e-3; });
    const Options options{.effort = Effort::measure, .time_budget_seconds = 60};
    make_plan(parse_transform("dft 10007"), options, &times);
    const auto entries = wisdom.entries();
    EXPECT_GT(entries.size(), 1U);
    const std::size_t before = times.benchmarks.size();
    for (const auto& [key, entry] : entries) make_plan(parse_transform(key.problem), options, &times);
    EXPECT_EQ(times.benchmarks.size(), before) << "all are known";
}

TEST(MakePlan, SearchesExhaustivelyOnThisMachine) {
    const OwnWisdom wisdom;
    for (const char* text : {"dft 6", "rdft 8", "wht 8", "dct2 4", "dft 2x3"}) {
        const Transform problem = parse_transform(text);
        const auto plan =
            make_plan<planning::Plan>(problem, {.effort = Effort::exhaustive, .time_budget_seconds = 0});
        EXPECT_EQ(plan->problem(), problem);
    }
    for (const auto& [key, entry] : wisdom.entries())
        EXPECT_EQ(entry.found_by, FoundBy::exhaustive) << key.problem;
}

TEST(MakePlan, RefusesWhatCannotBePlanned) {
    EXPECT_THROW(make_plan<planning::Plan>(parse_transform("dft 0")), UserError);
    EXPECT_THROW(make_plan<planning::Plan>(parse_transform("dft 8 load=\"float16: x\"")), Unsupported);
}

} // namespace make_plan_test
} // namespace swirl::search
