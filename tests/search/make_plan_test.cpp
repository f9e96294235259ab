#include "search/planner.hpp"

#include "base/error.hpp"
#include "problem/syntax.hpp"
#include "runtime/timer.hpp"
#include "search/machine.hpp"
#include "search/wisdom.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <limits>
#include <vector>

namespace swirl::search {
namespace {

/// Wisdom in a folder of its own, named by the environment as long as this lives.
class OwnWisdom {
public:
    OwnWisdom() { setenv("SWIRL_WISDOM", file().c_str(), 1); }
    ~OwnWisdom() { unsetenv("SWIRL_WISDOM"); }
    std::string file() const { return (folder_.path() / "wisdom.sqlite").string(); }
    std::vector<std::pair<WisdomKey, WisdomEntry>> entries() const { return Wisdom(file()).entries(); }

private:
    TemporaryFolder folder_;
};

double first_output_of_ones(const planning::Plan& plan, std::size_t points) {
    std::vector<std::complex<double>> x(points, 1.0), y(points);
    plan.execute({.input = x.data(), .output = y.data()});
    return y[0].real();
}

TEST(MakePlan, TakesTheModelsChoiceUnlessItIsToMeasure) {
    const OwnWisdom wisdom;
    const Problem problem = parse_problem("dft 64");
    const auto plan = make_plan(problem);
    EXPECT_EQ(plan->recipe(), estimate(problem, target::host_cpu()).recipe);
    EXPECT_FALSE(std::filesystem::exists(wisdom.file())) << "nothing was learned";
}

TEST(MakePlan, RemembersWhatItMeasured) {
    const OwnWisdom wisdom;
    const Problem problem = parse_problem("dft 96");
    int lines = 0;
    const auto measured = make_plan(
        problem,
        {.effort = Effort::measure, .time_budget_seconds = 0.3, .progress = [&](const auto&) { ++lines; }});
    EXPECT_GT(lines, 1) << "several recipes were tried";
    EXPECT_NEAR(first_output_of_ones(*measured, 96), 96, 1e-12);
    const auto entries = wisdom.entries();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].first.problem, "dft 96");
    EXPECT_EQ(entries[0].second.recipe, planning::to_string(measured->recipe()));
    EXPECT_EQ(entries[0].second.found_by, FoundBy::measure);
    EXPECT_GT(entries[0].second.seconds, 0);
    EXPECT_LT(entries[0].second.seconds, 1e-3);
    EXPECT_EQ(make_plan(problem)->recipe(), measured->recipe());
}

TEST(MakePlan, FollowsWisdomWhereItFits) {
    const OwnWisdom wisdom;
    const Problem problem = parse_problem("dft 64");
    const planning::Recipe best = estimate(problem, target::host_cpu()).recipe;
    const std::string other = std::string(target::host_cpu().name) + ": 0 stockham(2,32)";
    ASSERT_NE(planning::to_string(best), other);
    const WisdomKey key{machine_key(host_machine()), "dft 64"};
    Wisdom(wisdom.file()).remember(key, {.recipe = other, .seconds = 1e-9, .found_by = FoundBy::measure});
    EXPECT_EQ(planning::to_string(make_plan(problem)->recipe()), other);
    EXPECT_EQ(make_plan(problem, {.use_wisdom = false})->recipe(), best);
}

TEST(MakePlan, DropsWisdomThatDoesNotFit) {
    for (const char* recipe :
         {"nonsense", "avx512: 0 stockham(5,5)", "sse2: 0 codelet", "avx512: 1 codelet"}) {
        const OwnWisdom wisdom;
        const Problem problem = parse_problem("dft 64");
        const WisdomKey key{machine_key(host_machine()), "dft 64"};
        Wisdom(wisdom.file())
            .remember(key, {.recipe = recipe, .seconds = 1e-9, .found_by = FoundBy::measure});
        const auto plan = make_plan(problem);
        EXPECT_EQ(plan->recipe(), estimate(problem, target::host_cpu()).recipe) << recipe;
        EXPECT_TRUE(wisdom.entries().empty()) << recipe;
    }
}

TEST(MakePlan, MeasuresInPlaceAndInSeveralDimensionsWithinItsBudget) {
    const OwnWisdom wisdom;
    for (const char* text :
         {"dft 256 inplace", "dft 16x32", "dft 8x8x8 float32 inplace", "dft 64 planar batch=4"}) {
        const double start = runtime::monotonic_seconds();
        const auto plan =
            make_plan(parse_problem(text), {.effort = Effort::measure, .time_budget_seconds = 0.2});
        EXPECT_EQ(to_text(plan->problem()), text);
        EXPECT_LT(runtime::monotonic_seconds() - start, 3) << text;
    }
}

TEST(MakePlan, RefusesWhatCannotBePlanned) {
    EXPECT_THROW(make_plan(parse_problem("dft 0")), UserError);
    EXPECT_THROW(make_plan(parse_problem("dft 8 float16")), UserError);
}

} // namespace
} // namespace swirl::search
