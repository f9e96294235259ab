#include "search/search.hpp"
#include "support/transform_schedule.hpp"

#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "search/candidates/cpu/proposals.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/cost/cpu/estimate.hpp"
#include "support/fake_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace swirl::search {
namespace transform_search_test {

constexpr double unlimited = std::numeric_limits<double>::infinity();

const target::Cpu& cpu() { return target::cpu_named("avx2"); }

planning::DimensionPass only_pass(const Transform& problem) {
    return planning::dimension_passes(problem).at(0);
}

std::string schedule_text(const std::string& tree) { return "avx2: 0 " + tree; }

std::vector<std::string> likely_trees(const Transform& problem) {
    std::vector<std::string> trees;
    for (const Candidate& candidate : likely_breakdowns(only_pass(problem), cpu(), DataType::float64))
        trees.push_back(rules::to_string(candidate.tree));
    return trees;
}

std::string estimated(const Transform& problem) {
    return planning::to_string(estimate(problem, cpu()).schedule);
}

struct Found {
    std::string schedule;
    double seconds;
};

/// What a search tries besides its budget.
struct Trying {
    double seconds = unlimited;
    bool exhaustive = false;
    std::vector<planning::Schedule> others = {};
    SubproblemWisdom wisdom = {};
    std::function<void(const std::string&)> progress = {};
    std::function<void()> interrupt = {};
    std::function<bool()> enough = {};
};

Found search(const Transform& problem, FakeTimer& times, const Trying& trying = {}) {
    const SearchResult result =
        search::search(problem,
                       cpu_transform_space(problem, {.cpu = cpu(),
                                                     .exhaustive = trying.exhaustive,
                                                     .others = trying.others,
                                                     .wisdom = trying.wisdom}),
                       times, {trying.seconds, trying.progress, trying.interrupt, trying.enough});
    return {to_string(result.best.schedule), result.best.seconds};
}

/// A timer by problem and text.
FakeTimer timer(std::function<double(const Transform&, const std::string&)> seconds, double cost = 0.01) {
    return FakeTimer(
        [seconds = std::move(seconds)](const Problem& problem, const planning::Schedule& schedule) {
            return seconds(std::get<Transform>(problem), to_string(schedule));
        },
        cost);
}

TEST(TransformSearch, FindsTheFastestOfTheLikely) {
    const Transform whole = problem("dft 4096");
    const std::string fastest = schedule_text(likely_trees(whole).back());
    ASSERT_NE(fastest, estimated(whole));
    FakeTimer times =
        timer([&](const Transform&, const std::string& schedule) { return schedule == fastest ? 1.0 : 2.0; });
    const Found found = search(whole, times, {});
    EXPECT_EQ(found.schedule, fastest);
    EXPECT_EQ(found.seconds, 1);
}

TEST(TransformSearch, TimesTheEstimateFirst) {
    const Transform whole = problem("dft 4096");
    FakeTimer times = timer([](const Transform&, const std::string&) { return 1.0; });
    EXPECT_EQ(search(whole, times, {}).schedule, estimated(whole)) << "nothing else is faster";
    for (const auto& benchmark : times.benchmarks) {
        if (benchmark.problem != to_text(whole)) continue;
        EXPECT_EQ(benchmark.schedules.front(), estimated(whole));
    }
}

TEST(TransformSearch, KeepsTheEstimateAgainstNoise) {
    const Transform whole = problem("dft 4096");
    const std::string lucky = schedule_text(likely_trees(whole).back());
    int wins = 0;
    FakeTimer times = timer([&](const Transform&, const std::string& schedule) {
        return schedule == lucky && wins++ == 0 ? 0.5 : schedule == lucky ? 1.2 : 1.0;
    });
    EXPECT_EQ(search(whole, times, {}).schedule, estimated(whole));
}

TEST(TransformSearch, LooksAmongTheNeighboursOfTheBest) {
    const Transform whole = problem("dft 4096");
    const auto of_estimate = radix_neighbours(estimate(whole, cpu()).schedule.transform().passes[0].tree);
    ASSERT_FALSE(of_estimate.empty());
    const std::string fastest = schedule_text(rules::to_string(of_estimate.back()));
    FakeTimer times =
        timer([&](const Transform&, const std::string& schedule) { return schedule == fastest ? 0.5 : 1.0; });
    EXPECT_EQ(search(whole, times, {}).schedule, fastest);
}

TEST(TransformSearch, ReusesSubproblemTimings) {
    const Transform whole = problem("dft 10007");
    ASSERT_TRUE(estimated(whole).find("bluestein(") != std::string::npos) << estimated(whole);
    std::string part_text, fastest;
    FakeTimer times = timer([&](const Transform& timed, const std::string& schedule) {
        if (timed == whole)
            return schedule.find(fastest) != std::string::npos && !fastest.empty() ? 1.0 : 2.0;
        if (timed.dimensions[0].length < 20000) return 1.0;
        part_text = to_text(timed);
        const auto trees = likely_trees(timed);
        fastest = trees.back();
        return schedule == schedule_text(fastest) ? 0.1 : 0.2;
    });
    const Found found = search(whole, times, {});
    EXPECT_NE(found.schedule.find(fastest + ", " + fastest), std::string::npos)
        << found.schedule << ": both transforms of the convolution run as " << fastest;
    EXPECT_EQ(times.benchmarks_of(part_text), 1) << part_text;
}

TEST(TransformSearch, TimesEachStageOfSeveralDimensionsByItself) {
    const Transform whole = problem("dft 512x1024 strides=(1,512)");
    std::vector<std::string> fastest; // of the rows, then of the columns
    FakeTimer times = timer([&](const Transform& timed, const std::string& schedule) {
        if (timed == whole) {
            for (const std::string& tree : fastest)
                if (schedule.find(tree) == std::string::npos) return 2.0;
            return 1.0;
        }
        const std::string last = likely_trees(timed).back();
        if (schedule != schedule_text(last)) return 0.2;
        fastest.push_back(last);
        return 0.1;
    });
    const Found found = search(whole, times, {});
    ASSERT_EQ(fastest.size(), 2U);
    EXPECT_EQ(found.schedule, "avx2: 1 " + fastest[0] + "; 0 " + fastest[1]);
    EXPECT_EQ(times.benchmarks_of("dft 1024 strides=512 batch=512:1"), 1);
    EXPECT_EQ(times.benchmarks_of("dft 512 inplace batch=1024"), 1);
}

TEST(TransformSearch, AsksAndTellsWhatEarlierSearchesFoundAboutParts) {
    const Transform whole = problem("dft 10007");
    FakeTimer times = timer([&](const Transform&, const std::string&) { return 1.0; });
    std::map<std::string, TimedTree> kept;
    Trying setting;
    setting.wisdom.store = [&](const Transform& part, const planning::Schedule& best, double seconds) {
        kept[to_text(part)] = {best.transform().passes[0].tree, seconds};
    };
    setting.wisdom.lookup = [&](const Transform& part) -> std::optional<TimedTree> {
        const auto known = kept.find(to_text(part));
        return known == kept.end() ? std::nullopt : std::optional(known->second);
    };
    search(whole, times, setting);
    ASSERT_FALSE(kept.empty());
    for (const auto& [text, best] : kept) EXPECT_EQ(times.benchmarks_of(text), 1) << text;
    FakeTimer again = timer([&](const Transform&, const std::string&) { return 1.0; });
    search(whole, again, setting);
    for (const auto& [text, best] : kept) EXPECT_EQ(again.benchmarks_of(text), 0) << text << " was known";
}

TEST(TransformSearch, KeepsItsBudget) {
    for (const char* text :
         {"dft 4096", "dft 10007", "dft 1048576", "rdft 1048576", "dft 1024x1024", "dft 96"})
        for (const double seconds : {0.0, 0.5, 2.0, 5.0}) {
            const Transform whole = problem(text);
            FakeTimer times = timer([](const Transform&, const std::string&) { return 1e-3; }, 0.1);
            search(whole, times, {.seconds = seconds});
            EXPECT_LE(times.now(), seconds + 0.5) << text << " has a contest for each end of a part's time";
        }
}

TEST(TransformSearch, SaysNoTimeWhereItComparedNothing) {
    const Transform whole = problem("dft 4096");
    FakeTimer times = timer([](const Transform&, const std::string&) { return 1e-3; }, 1.0);
    const Found found = search(whole, times, {.seconds = 0.5});
    EXPECT_EQ(found.schedule, estimated(whole));
    EXPECT_EQ(found.seconds, unlimited);
}

TEST(TransformSearch, LeavesOutWhatCannotBeBuilt) {
    const Transform whole = problem("dft 4096");
    const std::string impossible = schedule_text(likely_trees(whole).back());
    FakeTimer times = timer(
        [&](const Transform&, const std::string& schedule) { return schedule == impossible ? -1 : 1.0; });
    EXPECT_EQ(search(whole, times, {}).schedule, estimated(whole));
}

TEST(TransformSearch, TriesRivals) {
    const Transform whole = problem("dft 64");
    const std::string extra = schedule_text("six-step(8,8)");
    FakeTimer times =
        timer([&](const Transform&, const std::string& schedule) { return schedule == extra ? 1.0 : 2.0; });
    Trying setting;
    setting.others = {transform_schedule(extra)};
    EXPECT_EQ(search(whole, times, setting).schedule, extra);
}

TEST(TransformSearch, ReportsProgress) {
    std::vector<std::string> lines;
    Trying setting{.seconds = 60};
    setting.progress = [&](const std::string& line) { lines.push_back(line); };
    FakeTimer times = timer([](const Transform&, const std::string&) { return 2e-6; }, 0.2);
    search(problem("dft 10007"), times, setting);
    ASSERT_GT(lines.size(), 3U);
    EXPECT_TRUE(lines[0].starts_with("dft 10007: 1 of 1, 2 µs with avx2: 0 bluestein(")) << lines[0];
    EXPECT_TRUE(lines[0].ends_with("; best 2 µs; 59.8 s left")) << lines[0];
    const auto names_a_part = [](const std::string& line) {
        return line.starts_with("dft 10007, subproblem dft ") && line.find(" of ") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), names_a_part));
}

TEST(TransformSearch, AsksAtEachCandidateWhetherItIsCancelled) {
    struct Stop {};
    const Transform whole = problem("dft 10007");
    for (const int most : {1, 2, 5, 9}) {
        FakeTimer times = timer([](const Transform&, const std::string&) { return 1.0; });
        int asked = 0;
        Trying trying;
        trying.interrupt = [&] {
            if (++asked > 2 * most) throw Stop();
        };
        EXPECT_THROW(search(whole, times, trying), Stop);
        EXPECT_LE(times.timed.size(), static_cast<std::size_t>(2 * most));
    }
}

TEST(TransformSearch, EndsWithTheFastestSoFarWhenTheUserHasEnough) {
    const Transform whole = problem("dft 4096");
    std::map<std::string, double> known;
    const auto seconds = [&](const Transform& timed, const std::string& schedule) {
        const auto [entry, is_new] =
            known.try_emplace(schedule, 1 - 0.03 * static_cast<double>(known.size()));
        return timed == whole ? entry->second : 1.0; // each new one is faster than all before
    };
    std::size_t last_timed = 0;
    for (const int most : {0, 1, 2, 5, 9, 13, 20}) {
        known.clear();
        FakeTimer times = timer(seconds);
        int asked = 0;
        Trying trying;
        trying.enough = [&] { return ++asked > most; };
        const Found found = search(whole, times, trying);
        EXPECT_GE(times.timed.size(), last_timed);
        EXPECT_LE(times.timed.size(), static_cast<std::size_t>(most) + 1);
        last_timed = times.timed.size();
        double fastest = unlimited;
        std::string best = estimated(whole);
        for (const auto& benchmark : times.benchmarks)
            if (benchmark.problem == "dft 4096")
                for (const std::string& schedule : benchmark.schedules)
                    if (known[schedule] < fastest) {
                        fastest = known[schedule];
                        best = schedule;
                    }
        EXPECT_EQ(found.schedule, best) << "after " << most << " questions";
    }
    EXPECT_GT(last_timed, 5U);
}

TEST(ExhaustiveSearch, TriesEveryChoiceOfEveryRuleThatApplies) {
    for (const char* text : {"dft 12", "rdft 12", "dct2 8", "wht 16", "dft 13", "dft 4x6"}) {
        const Transform whole = problem(text);
        FakeTimer times = timer([](const Transform&, const std::string&) { return 1e-6; });
        Trying setting;
        setting.exhaustive = true;
        search(whole, times, setting);
        std::set<std::string> tried;
        for (const auto& benchmark : times.benchmarks)
            if (benchmark.problem == text)
                for (const std::string& schedule : benchmark.schedules) {
                    const auto tree = transform_schedule(schedule).transform().passes[0].tree;
                    tried.insert(rules::to_string({tree.rule, tree.choice, {}}));
                }
        for (const Candidate& candidate : all_breakdowns(only_pass(whole)))
            EXPECT_TRUE(tried.count(rules::to_string(candidate.tree)))
                << text << ": " << rules::to_string(candidate.tree);
    }
}

TEST(ExhaustiveSearch, KeepsABudgetToo) {
    FakeTimer times = timer([](const Transform&, const std::string&) { return 1e-6; }, 0.1);
    Trying setting{.seconds = 3};
    setting.exhaustive = true;
    search(problem("dft 360"), times, setting);
    EXPECT_LE(times.now(), 3.5);
}

TEST(Neighbours, SwapRadicesHandOnFactorsAndChangeWidths) {
    std::set<std::string> texts;
    for (const auto& tree : radix_neighbours(rules::parse_tree("stockham(16,8)")))
        texts.insert(rules::to_string(tree));
    EXPECT_EQ(texts, (std::set<std::string>{"stockham(8,16)", "stockham(32,4)"}));
    texts.clear();
    for (const auto& tree : width_neighbours(rules::parse_tree("two-sweep(64,8,4)[codelet, stockham(2,2)]")))
        texts.insert(rules::to_string(tree));
    for (const char* expected :
         {"two-sweep(64,16,4)[codelet, stockham(2,2)]", "two-sweep(64,4,4)[codelet, stockham(2,2)]",
          "two-sweep(64,8,8)[codelet, stockham(2,2)]", "two-sweep(64,8,2)[codelet, stockham(2,2)]"})
        EXPECT_TRUE(texts.count(expected)) << expected;
}

} // namespace transform_search_test
} // namespace swirl::search
