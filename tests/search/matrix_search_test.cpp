#include "search/matrix_search.hpp"

#include "base/error.hpp"
#include "search/matrix_wisdom.hpp"
#include "search/shared_wisdom.hpp"
#include "support/known_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace swirl::search {
namespace {

using gemm::Schedule;

const target::Cpu& cpu = target::avx512_cpu();

MatrixSearchSetting setting(double seconds = 1000) {
    return {.number = Number::float64, .cpu = cpu, .seconds = seconds, .progress = {}};
}

/// Every parameter has its own best value, far from the model's.
double valley(const Schedule& schedule) {
    const auto off = [](double value, double best) { return std::abs(std::log2(value / best)); };
    return 1 + 0.05 * off(schedule.tile.columns, 12) + 0.05 * off(schedule.tile.vectors, 2) +
           0.05 * off(schedule.unroll, 2) + 0.05 * off(static_cast<double>(schedule.block_depth), 260) +
           0.05 * off(static_cast<double>(schedule.block_rows), 250) +
           0.05 * off(static_cast<double>(schedule.block_columns), 1000) + (schedule.rows_inside ? 0.05 : 0) +
           (schedule.prefetch_c ? 0.05 : 0) + (schedule.prefetch_next ? 0.05 : 0) +
           0.01 * std::abs(schedule.prefetch_a - 8);
}

TEST(LineSearch, FindsTheBottomOfAValleyWhoseParametersAreIndependent) {
    KnownSchedules world(valley);
    const MatrixFinding finding = search_schedule(setting(), world);
    EXPECT_TRUE(finding.is_complete);
    EXPECT_EQ(finding.model, gemm::model_schedule(Number::float64, cpu));
    EXPECT_EQ(finding.found.tile.vectors, 2);
    EXPECT_NEAR(finding.found.tile.columns, 12, 1) << "each tile has the model's blocks at first";
    EXPECT_EQ(finding.found.unroll, 2);
    EXPECT_FALSE(finding.found.rows_inside);
    EXPECT_FALSE(finding.found.prefetch_c);
    EXPECT_FALSE(finding.found.prefetch_next);
    EXPECT_EQ(finding.found.prefetch_a, 8);
    EXPECT_NEAR(static_cast<double>(finding.found.block_depth), 260, 40);
    EXPECT_LT(valley(finding.found), 1.1);
    EXPECT_DOUBLE_EQ(finding.speedup, valley(finding.model) / valley(finding.found));
    EXPECT_DOUBLE_EQ(finding.model_seconds, valley(finding.model));
    EXPECT_NEAR(finding.found_seconds, valley(finding.found), 1e-12);
}

TEST(LineSearch, KeepsTheModelWhereNothingIsFaster) {
    KnownSchedules world([](const Schedule&) { return 1.0; });
    const MatrixFinding finding = search_schedule(setting(), world);
    EXPECT_EQ(finding.found, finding.model);
    EXPECT_EQ(finding.speedup, 1);
    EXPECT_GT(finding.timed, 20);
    std::set<std::string> texts;
    for (const Schedule& each : world.asked) texts.insert(to_string(each));
    EXPECT_EQ(texts.size(), world.asked.size()) << "nothing is timed twice";
}

TEST(LineSearch, StaysWithinItsTime) {
    KnownSchedules world(valley, 1);
    const MatrixFinding finding = search_schedule(setting(5), world);
    EXPECT_FALSE(finding.is_complete);
    EXPECT_LE(world.now(), 7) << "one candidate, confirmed, and the last comparison may come after";
    KnownSchedules again(valley, 1);
    EXPECT_EQ(search_schedule(setting(0), again).found, finding.model);
    EXPECT_TRUE(again.asked.empty());
}

TEST(LineSearch, SaysWhatItGained) {
    KnownSchedules world(valley);
    std::vector<std::string> lines;
    MatrixSearchSetting telling = setting();
    telling.progress = [&](const std::string& line) { lines.push_back(line); };
    search_schedule(telling, world);
    ASSERT_GT(lines.size(), 5U);
    EXPECT_EQ(lines.front().rfind("float64: model: tile=", 0), 0U) << lines.front();
    EXPECT_NE(lines.back().find("schedules timed"), std::string::npos) << lines.back();
}

TEST(MatrixParameters, ChangeOneThingEach) {
    const Schedule model = gemm::model_schedule(Number::complex64, cpu);
    for (const MatrixParameter& parameter : matrix_parameters())
        for (const bool refines : {false, true})
            for (const Schedule& candidate : parameter.candidates(Number::complex64, cpu, model, refines)) {
                SCOPED_TRACE(std::string(parameter.name) + " " + to_string(candidate));
                EXPECT_EQ(gemm::parse_schedule(to_string(candidate), model.tile.lanes), candidate);
                EXPECT_TRUE(gemm::fits_registers(gemm::Numbers::all(Number::complex64), candidate.tile, cpu));
                if (parameter.name == "tile") continue;
                int changes = 0;
                changes += candidate.tile != model.tile;
                changes += candidate.unroll != model.unroll;
                changes += candidate.block_rows != model.block_rows;
                changes += candidate.block_depth != model.block_depth;
                changes += candidate.block_columns != model.block_columns;
                changes += candidate.rows_inside != model.rows_inside;
                changes += candidate.prefetch_c != model.prefetch_c;
                changes += candidate.prefetch_next != model.prefetch_next;
                changes += candidate.prefetch_a != model.prefetch_a;
                EXPECT_LE(changes, 1);
            }
}

TEST(MachineMatrixTimekeeper, TimesSchedulesOnThisMachine) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const Number number : {Number::float32, Number::complex64}) {
        MachineMatrixTimekeeper timekeeper(number, {40, 90});
        const Schedule model = gemm::model_schedule(number, target::host_cpu());
        Schedule thin = model;
        thin.tile = {model.tile.lanes, 1, 1};
        EXPECT_LT(timekeeper.speedup(thin, model, 5), 0.9) << "one sum in registers waits for itself";
        EXPECT_GT(timekeeper.seconds(model), 0);
        const MatrixRates rates = timekeeper.rates({model, thin}, 90, 0.01);
        ASSERT_EQ(rates.schedules.size(), 2U);
        EXPECT_EQ(rates.schedules[0].ratio, 1);
        EXPECT_LT(rates.schedules[1].ratio, 0.9);
        EXPECT_GT(rates.peak, rates.schedules[1].median);
    }
}

/// Wisdom of its own, in memory.
class MatrixWisdom : public testing::Test {
protected:
    void SetUp() override { setenv("SWIRL_WISDOM", ":memory:", 1); }
    void TearDown() override {
        shared_wisdom(true)->forget_all();
        unsetenv("SWIRL_WISDOM");
    }
};

TEST_F(MatrixWisdom, KeepsWhatWasFoundAndTheModel) {
    EXPECT_EQ(remembered_schedule(Number::float64, cpu), std::nullopt);
    MatrixFinding finding;
    finding.model = finding.found = gemm::model_schedule(Number::float64, cpu);
    finding.found.block_depth = 256;
    finding.model_seconds = 2e-3;
    finding.found_seconds = 1e-3;
    remember(Number::float64, cpu, finding);
    EXPECT_EQ(remembered_schedule(Number::float64, cpu), finding.found);
    EXPECT_EQ(remembered_schedule(Number::float32, cpu), std::nullopt);
    EXPECT_EQ(remembered_schedule(Number::float64, target::avx2_cpu()), std::nullopt) << "of another CPU";
    const auto entries = shared_wisdom(true)->entries();
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].first.problem, "gemm float64");
    EXPECT_EQ(entries[0].second.seconds, 1e-3);
    EXPECT_EQ(entries[1].first.problem, "gemm float64, model");
    EXPECT_EQ(entries[1].second.recipe, to_string(finding.model));
    EXPECT_EQ(entries[1].second.seconds, 2e-3);
}

TEST_F(MatrixWisdom, IsTrustedOnlyOfThisVersionAndInOrder) {
    MatrixFinding finding;
    finding.model = finding.found = gemm::model_schedule(Number::float64, cpu);
    finding.model_seconds = finding.found_seconds = 1;
    remember(Number::float64, cpu, finding);
    Wisdom& wisdom = *shared_wisdom(true);
    const auto [key, entry] = wisdom.entries().front();
    WisdomEntry other = entry;
    other.version = "0.0.0-other";
    wisdom.replace(key, other);
    EXPECT_EQ(remembered_schedule(Number::float64, cpu), std::nullopt);
    other = entry;
    other.recipe = "tile=8x8 unroll=4 blocks=64x64x64 inside=rows prefetch=c";
    wisdom.replace(key, other);
    EXPECT_EQ(remembered_schedule(Number::float64, cpu), std::nullopt) << "it has too many sums";
    EXPECT_FALSE(wisdom.find(key)) << "and is forgotten";
}

TEST_F(MatrixWisdom, AProductThatIsMeasuredIsSearchedForOnceAndComputedSo) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    KnownSchedules world([](const Schedule& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    const FindScheduleOptions options{.seconds = 1000, .timekeeper = &world};
    const MatrixProduct large = MatrixProduct::column_major(Number::complex32, 600, 600, 600);
    use_matrix_wisdom();
    find_schedule(large, options);
    ASSERT_FALSE(world.asked.empty());
    const auto known = remembered_schedule(Number::complex32, target::host_cpu());
    ASSERT_TRUE(known.has_value());
    EXPECT_EQ(planning::MatrixKernels::of_this_machine(Number::complex32).schedule(), *known);
    EXPECT_FALSE(planning::MatrixKernels::prefer(Number::complex32, gemm::Schedule{}))
        << "what is in use stays in use";
    world.asked.clear();
    find_schedule(large, options);
    EXPECT_TRUE(world.asked.empty()) << "wisdom knows";
    find_schedule(MatrixProduct::column_major(Number::float64, 8, 8, 8), options);
    EXPECT_TRUE(world.asked.empty()) << "it has one kernel of its own";
}

} // namespace
} // namespace swirl::search
