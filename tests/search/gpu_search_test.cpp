#include "search/candidates/gpu/transforms.hpp"
#include "support/transform_schedule.hpp"

#include "base/error.hpp"
#include "plan/check/transform.hpp"
#include "problem/syntax.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/planner.hpp"
#include "search/search.hpp"
#include "search/wisdom/shipped_wisdom.hpp"
#include "support/fake_timer.hpp"
#include "support/interpreted_plan.hpp"
#include "support/own_wisdom.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {
namespace gpu_search_test {

const target::Gpu& hopper() { return target::gpu_named("sm_90"); }

GpuIdentity machine(int driver_version = 13000, int multiprocessors = 132) {
    return {gpu_key("NVIDIA H100 80GB HBM3", 9, 0, multiprocessors, driver_version), hopper()};
}

/// Every schedule takes a second but one.
FakeTimer times_with(const std::string& schedule, double seconds, double cost = 0.01) {
    return FakeTimer::by_text([=](const std::string& timed) { return timed == schedule ? seconds : 1.0; },
                              cost);
}

std::string first_timed(const FakeTimer& times) { return to_string(times.timed.front()); }

std::ptrdiff_t count_of(const FakeTimer& times, const std::string& schedule) {
    return std::ranges::count_if(times.timed,
                                 [&](const auto& timed) { return to_string(timed) == schedule; });
}

/// What a search tries besides its budget.
struct Trying {
    double seconds = 60;
    bool exhaustive = false;
    std::vector<planning::Schedule> others = {};
    std::function<void(const std::string&)> progress = {};
};

SearchResult result_of(const std::string& text, Timer& times, const Trying& trying = {}) {
    const Transform problem = parse_transform(text);
    return search::search(
        problem,
        gpu_transform_space(problem,
                            {.gpu = hopper(), .exhaustive = trying.exhaustive, .others = trying.others}),
        times, {trying.seconds, trying.progress});
}

ScheduleCandidate searched(const std::string& text, Timer& times, const Trying& trying = {}) {
    return result_of(text, times, trying).best;
}

std::string estimated(const std::string& text) {
    return to_string(gpu_schedule(parse_transform(text), hopper()));
}

/// The k-th candidate of a problem of one pass.
std::string candidate(const std::string& text, std::size_t k) {
    const Transform problem = parse_transform(text);
    const auto passes = planning::dimension_passes(problem, planning::Fusion::none);
    return to_string(planning::Schedule{
        "sm_90",
        planning::TransformSchedule{{gpu_candidates(problem, passes.at(0), hopper(), k + 1).at(k).pass}}});
}

// ---- searching -----------------------------------------------------------------------------------------------

TEST(SearchOnAGpu, TimesTheEstimateFirstAndFindsTheFastestCandidate) {
    const std::string text = "dft 1024 float32 batch=100", fastest = candidate(text, 7);
    ASSERT_NE(fastest, estimated(text));
    FakeTimer times = times_with(fastest, 0.5);
    const ScheduleCandidate winner = searched(text, times);
    EXPECT_EQ(to_string(winner.schedule), fastest);
    EXPECT_EQ(winner.seconds, 0.5);
    EXPECT_EQ(first_timed(times), estimated(text));
    EXPECT_GT(count_of(times, fastest), 2) << "it ran against the estimate";
}

TEST(SearchOnAGpu, StaysWithTheEstimateUnlessAnotherIsClearlyFaster) {
    const std::string text = "dft 1024 float32 batch=100";
    FakeTimer times = times_with(candidate(text, 3), 0.995);
    EXPECT_EQ(to_string(searched(text, times).schedule), estimated(text));
}

TEST(SearchOnAGpu, CombinesTheFastestPasses) {
    const std::string text = "dft 100x1000 float32 batch=3";
    // By their threads, which passes choose apart from each other.
    FakeTimer times = FakeTimer::by_text([](const std::string& schedule) {
        const planning::Schedule parsed = transform_schedule(schedule);
        double seconds = 1;
        for (const auto& pass : parsed.transform().passes)
            seconds += std::abs(static_cast<double>(pass.configurations.front().threads) - 100);
        return parsed.transform().passes.size() == 2 ? seconds : 1e6;
    });
    const ScheduleCandidate winner = searched(text, times);
    for (const planning::Schedule& schedule : times.timed) {
        const planning::TransformSchedule& other = schedule.transform();
        if (other.passes.size() != 2) continue;
        for (std::size_t k = 0; k < 2; ++k)
            EXPECT_LE(std::abs(winner.schedule.transform().passes[k].configurations.front().threads - 100),
                      std::abs(other.passes[k].configurations.front().threads - 100))
                << to_string(schedule);
    }
}

TEST(SearchOnAGpu, ClimbsWhileANeighbourIsBetter) {
    const std::string text = "dft 1024 float32 batch=100";
    // The more transforms a block has the better: no candidate has as many as neighbours of neighbours.
    FakeTimer times = FakeTimer::by_text([](const std::string& schedule) {
        return 1 / static_cast<double>(
                       transform_schedule(schedule).transform().passes[0].configurations[0].transforms);
    });
    const ScheduleCandidate winner = searched(text, times);
    Integer most = 0;
    const Transform problem = parse_transform(text);
    for (const GpuPassCandidate& each : gpu_candidates(
             problem, planning::dimension_passes(problem, planning::Fusion::none)[0], hopper(), 24))
        most = std::max(most, each.pass.configurations[0].transforms);
    EXPECT_GE(winner.schedule.transform().passes[0].configurations[0].transforms, 8 * most);
}

TEST(SearchOnAGpu, LeavesOutWhatCannotBeBuilt) {
    const std::string text = "dft 1024 float32 batch=100", fastest = candidate(text, 5);
    FakeTimer times = FakeTimer::by_text([&](const std::string& schedule) {
        return schedule == fastest ? 0.5 : schedule == estimated(text) ? 1.0 : -1.0;
    });
    const SearchResult result = result_of(text, times);
    EXPECT_EQ(to_string(result.best.schedule), fastest);
    EXPECT_TRUE(result.is_complete);
}

TEST(SearchOnAGpu, KeepsItsTime) {
    for (const double seconds : {0.0, 0.015, 0.05, 0.1, 0.3}) {
        FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1.0; });
        const SearchResult result = result_of("dft 1024 float32 batch=100", times, {.seconds = seconds});
        EXPECT_LE(times.now(), seconds + 4 * 0.01) << "the first of each race is timed in any case";
        EXPECT_FALSE(result.is_complete);
        EXPECT_EQ(result.best.is_timed(), times.timed.size() > 2) << seconds << " " << times.timed.size();
    }
}

TEST(SearchOnAGpu, TriesEverythingWhereItIsToBeExhaustive) {
    const std::string text = "dft 4096 float32 batch=100";
    FakeTimer likely = FakeTimer::by_text([](const std::string&) { return 1.0; });
    searched(text, likely);
    FakeTimer all = FakeTimer::by_text([](const std::string&) { return 1.0; });
    searched(text, all, {.seconds = std::numeric_limits<double>::infinity(), .exhaustive = true});
    EXPECT_GT(all.timed.size(), likely.timed.size());
}

TEST(SearchOnAGpu, TriesRivalsAndSaysHowItGoes) {
    const std::string text = "dft 64 float32 batch=1000", extra = "sm_90: 0 stockham(2,32) on 64x32";
    FakeTimer times = times_with(extra, 0.1);
    std::vector<std::string> lines;
    Trying setting;
    setting.others = {transform_schedule(extra)};
    setting.progress = [&](const std::string& line) { lines.push_back(line); };
    EXPECT_EQ(to_string(searched(text, times, setting).schedule), extra);
    const auto says = [&](const char* words) {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != line.npos; });
    };
    EXPECT_TRUE(says("best 1e+05 µs"));
    EXPECT_TRUE(says("schedules timed"));
}

TEST(NeighboursOfSchedulesForGpus, AreSchedulesThatComputeTheSameOrAreRefused) {
    for (const auto& [text, schedule] : std::vector<std::pair<std::string, std::string>>{
             {"dft 60 float32 batch=7", "sm_90: 0 stockham(4,15) on 30x2 pitch 1"},
             {"dft 64x16 float32 batch=3",
              "sm_90: 1 stockham(4,4) on 16x4 pad 32; 0 stockham(8,8) on 64x8 pitch 1 single_buffer"},
             {"dft 256 float32",
              "sm_90: 0 two-sweep(16,1,1)[stockham(4,4)] on 32x1 cluster 2 pad 32 pitch 1 single_buffer"}}) {
        const Transform problem = parse_transform(text);
        std::size_t proved = 0;
        const planning::Schedule parsed = transform_schedule(schedule);
        auto neighbours = configuration_neighbours(parsed, hopper());
        for (auto& neighbour : radix_order_neighbours(parsed)) neighbours.push_back(std::move(neighbour));
        EXPECT_GE(neighbours.size(), 4U);
        for (const planning::Schedule& neighbour : neighbours) {
            SCOPED_TRACE(to_string(neighbour));
            EXPECT_EQ(transform_schedule(to_string(neighbour)), neighbour);
            try {
                support::InterpretedPlan plan(problem, neighbour);
                EXPECT_NO_THROW(planning::check_against_definition(
                    problem, neighbour,
                    [&](planning::ProblemData& data) { plan.execute(data.arguments()); }));
                ++proved;
            } catch (const UserError&) {
            } catch (const InternalError&) {}
        }
        EXPECT_GT(proved, neighbours.size() / 2) << schedule;
    }
}

// ---- choosing, and wisdom -------------------------------------------------------------------------------------

/// Whose entries a test can see.
class OwnWisdom : public swirl::OwnWisdom {
public:
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries() const { return Wisdom(file()).entries(); }
    void add(const std::string& machine, const std::string& problem, const WisdomEntry& entry) const {
        Wisdom(file()).replace({machine, problem}, entry);
    }
};

const std::string text_64 = "dft 64 float32 batch=1000";
const std::string other_64 = "sm_90: 0 stockham(2,32) on 64x32";

/// Estimates time nothing.
std::string chosen(Effort effort, Timer& times, const GpuIdentity& on = machine(), bool use_wisdom = true) {
    return to_string(choose_schedule(parse_transform(text_64), GpuTarget(on),
                                     {.effort = effort,
                                      .time_budget_seconds = effort == Effort::measure ? 60.0 : 0.0,
                                      .use_wisdom = use_wisdom},
                                     &times));
}

std::string of_shortlist(Timer& times, bool use_wisdom = true) {
    return to_string(
        choose_schedule(parse_transform(text_64), GpuTarget(machine()), {.use_wisdom = use_wisdom}, &times));
}

TEST(ChoosingForAGpu, TimesTheShortlistOfANewProblem) {
    const OwnWisdom wisdom;
    const std::vector<RatedGpuSchedule> best = gpu_schedules(parse_transform(text_64), hopper(), 4);
    ASSERT_EQ(best.size(), 4U);
    EXPECT_EQ(to_string(best[0].schedule), estimated(text_64));
    for (std::size_t k = 1; k < best.size(); ++k) EXPECT_LE(best[k - 1].seconds, best[k].seconds);
    const std::string fastest = to_string(best[3].schedule);
    FakeTimer times = times_with(fastest, 0.25);
    EXPECT_EQ(of_shortlist(times, false), estimated(text_64)) << "nothing could be remembered";
    EXPECT_TRUE(times.timed.empty());
    EXPECT_EQ(of_shortlist(times), fastest);
    EXPECT_EQ(times.timed.size(), 4U);
    ASSERT_EQ(wisdom.entries().size(), 1U);
    EXPECT_EQ(wisdom.entries()[0].second.found_by, FoundBy::shortlist);
    EXPECT_EQ(of_shortlist(times), fastest);
    EXPECT_EQ(times.timed.size(), 4U) << "the problem is not new any more";
    chosen(Effort::measure, times);
    EXPECT_GT(times.timed.size(), 8U) << "a search tries more";
    EXPECT_EQ(wisdom.entries()[0].second.found_by, FoundBy::measure);
}

/// Shipped wisdom for a kind of GPU, of one problem, as long as this lives.
class Shipped {
public:
    Shipped(const std::string& device, const std::string& problem, const std::string& schedule) {
        const std::string file = (folder_.path() / "shipped.txt").string();
        std::ofstream(file) << "swirl wisdom 1\ndevice " << device_kind(device) << '\n'
                            << problem << '\t' << schedule << "\t1\n";
        setenv("SWIRL_SHIPPED_WISDOM", file.c_str(), 1);
    }
    ~Shipped() { setenv("SWIRL_SHIPPED_WISDOM", "off", 1); }
    Shipped(const Shipped&) = delete;
    Shipped& operator=(const Shipped&) = delete;

private:
    TemporaryFolder folder_;
};

TEST(ChoosingForAGpu, TimesNothingWhereShippedWisdomHasTheProblem) {
    const OwnWisdom wisdom;
    const Shipped shipped(machine().key, text_64, other_64);
    FakeTimer times = times_with(other_64, 0.5);
    EXPECT_EQ(of_shortlist(times), other_64);
    EXPECT_EQ(chosen(Effort::estimate, times, machine(14000)), other_64) << "whatever the driver";
    EXPECT_TRUE(times.timed.empty());
    EXPECT_NE(of_shortlist(times, false), other_64);
    EXPECT_NE(chosen(Effort::estimate, times, machine(13000, 114)), other_64) << "another kind of GPU";
}

TEST(ChoosingForAGpu, TimesWhatIsShippedForANeighbourAndForOtherGpusBesideTheShortlist) {
    const std::string batch = "dft 64 backward float32 batch=4000";
    for (const auto& [device, problem] :
         {std::pair(machine().key, batch), std::pair(machine(13000, 114).key, text_64)}) {
        const OwnWisdom wisdom;
        const Shipped shipped(device, problem, other_64);
        FakeTimer times = times_with(other_64, 0.5);
        EXPECT_EQ(chosen(Effort::estimate, times), estimated(text_64)) << "where nothing is timed";
        EXPECT_EQ(of_shortlist(times), other_64);
        FakeTimer slower = times_with(other_64, 2);
        Wisdom(wisdom.file()).erase_all();
        EXPECT_EQ(of_shortlist(slower), estimated(text_64));
        Wisdom(wisdom.file()).erase_all();
        EXPECT_EQ(chosen(Effort::measure, times), other_64) << "a search tries it";
    }
}

TEST(ChoosingForAGpu, KeepsTheEstimateWhereTheShortlistIsHardlyFaster) {
    const OwnWisdom wisdom;
    const auto best = gpu_schedules(parse_transform(text_64), hopper(), 2);
    FakeTimer times = times_with(to_string(best[1].schedule), 0.99);
    EXPECT_EQ(of_shortlist(times), estimated(text_64));
    EXPECT_EQ(wisdom.entries().at(0).second.schedule, estimated(text_64)) << "and is not timed again";
}

TEST(ChoosingForAGpu, AddsWhatAnotherVersionFoundToTheShortlist) {
    const OwnWisdom wisdom;
    wisdom.add(machine().key, to_text(parse_transform(text_64)),
               {.schedule = other_64, .seconds = 1e-9, .found_by = FoundBy::measure, .version = "0.0.1"});
    FakeTimer times = times_with(other_64, 0.5);
    EXPECT_EQ(of_shortlist(times), other_64);
}

TEST(ChoosingForAGpu, TimesNothingForAnEstimate) {
    const OwnWisdom wisdom;
    FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1.0; });
    EXPECT_EQ(chosen(Effort::estimate, times), estimated(text_64));
    EXPECT_TRUE(times.timed.empty());
    EXPECT_FALSE(std::filesystem::exists(wisdom.file())) << "nothing was learned";
}

TEST(ChoosingForAGpu, RemembersWhatItMeasuredForThisGpuAlone) {
    const OwnWisdom wisdom;
    const std::string fastest = candidate(text_64, 3);
    FakeTimer times = times_with(fastest, 0.25);
    EXPECT_EQ(chosen(Effort::measure, times), fastest);
    const auto entries = wisdom.entries();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].first.device, "NVIDIA H100 80GB HBM3, compute 9.0, 132 multiprocessors, CUDA 13");
    EXPECT_EQ(entries[0].first.problem, to_text(parse_transform(text_64)));
    EXPECT_EQ(entries[0].second.schedule, fastest);
    EXPECT_EQ(entries[0].second.seconds, 0.25);
    EXPECT_EQ(entries[0].second.found_by, FoundBy::measure);

    FakeTimer never = FakeTimer::by_text([](const std::string&) { return 1.0; });
    EXPECT_EQ(chosen(Effort::estimate, never), fastest);
    EXPECT_EQ(chosen(Effort::measure, never), fastest);
    EXPECT_EQ(chosen(Effort::estimate, never, machine(13020)), fastest)
        << "the same major version of the driver";
    EXPECT_EQ(chosen(Effort::estimate, never, machine(12080)), estimated(text_64));
    EXPECT_EQ(chosen(Effort::estimate, never, machine(13000, 114)), estimated(text_64));
    EXPECT_EQ(chosen(Effort::estimate, never, machine(), false), estimated(text_64));
    EXPECT_TRUE(never.timed.empty());
    EXPECT_EQ(to_string(choose_schedule(parse_transform(text_64), GpuTarget(hopper()), {.use_wisdom = true})),
              fastest)
        << "a plan that is only looked at";
    EXPECT_EQ(
        to_string(choose_schedule(parse_transform(text_64), GpuTarget(hopper()), {.use_wisdom = false})),
        estimated(text_64));
}

TEST(ChoosingForAGpu, SearchesOnceMoreWhereAllIsToBeTried) {
    const OwnWisdom wisdom;
    FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1.0; });
    chosen(Effort::measure, times);
    const std::size_t measured = times.timed.size();
    chosen(Effort::exhaustive, times);
    EXPECT_GE(times.timed.size(), 2 * measured);
    EXPECT_EQ(wisdom.entries().at(0).second.found_by, FoundBy::exhaustive);
    const std::size_t searched = times.timed.size();
    chosen(Effort::exhaustive, times);
    EXPECT_EQ(times.timed.size(), searched);
}

TEST(ChoosingForAGpu, DropsWisdomThatDoesNotFit) {
    for (const char* schedule : {"nonsense", "avx2: 0 codelet", "sm_80: 0 stockham(8,8) on 64x8",
                                 "sm_90: 0 stockham(8,8) on 64x8; 1 codelet on 32x1"}) {
        const OwnWisdom wisdom;
        wisdom.add(machine().key, to_text(parse_transform(text_64)),
                   {.schedule = schedule, .seconds = 1e-9, .found_by = FoundBy::measure});
        FakeTimer times = FakeTimer::by_text([](const std::string&) { return 1.0; });
        EXPECT_EQ(chosen(Effort::estimate, times), estimated(text_64)) << schedule;
        EXPECT_TRUE(wisdom.entries().empty()) << schedule;
    }
}

TEST(ChoosingForAGpu, RunsSchedulesOfAnotherVersionAgainstTheEstimate) {
    for (const bool is_fast : {true, false}) {
        const OwnWisdom wisdom;
        wisdom.add(machine().key, to_text(parse_transform(text_64)),
                   {.schedule = other_64, .seconds = 1e-9, .found_by = FoundBy::measure, .version = "0.0.1"});
        FakeTimer times = times_with(other_64, is_fast ? 0.5 : 2);
        EXPECT_EQ(chosen(Effort::estimate, times), estimated(text_64)) << "nobody has timed it on this code";
        EXPECT_EQ(chosen(Effort::measure, times), is_fast ? other_64 : estimated(text_64));
        EXPECT_EQ(times.timed.size() > 2, !is_fast) << "a search follows where it has lost";
        EXPECT_EQ(wisdom.entries().at(0).second.schedule, is_fast ? other_64 : estimated(text_64));
    }
}

TEST(ChoosingForAGpu, TriesWhatOtherGpusFound) {
    const OwnWisdom wisdom;
    wisdom.add("another GPU", to_text(parse_transform(text_64)),
               {.schedule = other_64, .seconds = 1e-9, .found_by = FoundBy::measure});
    FakeTimer times = times_with(other_64, 0.5);
    EXPECT_EQ(chosen(Effort::measure, times), other_64);
    EXPECT_EQ(wisdom.entries().size(), 2U);
}

TEST(ChoosingForAGpu, TakesWisdomThatWasExportedAndImported) {
    std::stringstream lines;
    const std::string fastest = candidate(text_64, 2);
    {
        const OwnWisdom wisdom;
        FakeTimer times = times_with(fastest, 0.5);
        chosen(Effort::measure, times);
        Wisdom(wisdom.file()).export_lines(lines);
    }
    const OwnWisdom wisdom;
    FakeTimer never = FakeTimer::by_text([](const std::string&) { return 1.0; });
    EXPECT_EQ(chosen(Effort::estimate, never), estimated(text_64));
    Wisdom(wisdom.file()).import_lines(lines);
    EXPECT_EQ(chosen(Effort::estimate, never), fastest);
}

} // namespace gpu_search_test
} // namespace swirl::search
