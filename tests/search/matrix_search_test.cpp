#include "search/matrix_search.hpp"

#include "base/error.hpp"
#include "search/wisdom/matrix_wisdom.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "support/fake_matrix_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace swirl::search {
namespace matrix_search_test {

using gemm::Schedule;

const target::Cpu& cpu = target::avx512_cpu();

MatrixSearchSetting setting(double seconds = 1000) {
    return {.data_type = DataType::float64, .cpu = cpu, .seconds = seconds, .progress = {}};
}

/// Every parameter has its own best value, far from the model's.
double valley(const Schedule& schedule) {
    const auto off = [](double value, double best) { return std::abs(std::log2(value / best)); };
    return 1 + 0.05 * off(schedule.tile.columns, 12) + 0.05 * off(schedule.tile.vectors, 2) +
           0.05 * off(schedule.unroll, 2) + 0.05 * off(static_cast<double>(schedule.kc), 260) +
           0.05 * off(static_cast<double>(schedule.mc), 250) +
           0.05 * off(static_cast<double>(schedule.nc), 1000) + (schedule.rows_innermost ? 0.05 : 0) +
           (schedule.prefetch_c ? 0.05 : 0) + (schedule.prefetch_next ? 0.05 : 0) +
           0.01 * std::abs(schedule.prefetch_a - 8);
}

TEST(LineSearch, FindsTheBottomOfAValleyWhoseParametersAreIndependent) {
    FakeMatrixTimer world(valley);
    const MatrixSearchResult search_result = search_schedule(setting(), world);
    EXPECT_TRUE(search_result.is_complete);
    EXPECT_EQ(search_result.model, gemm::model_schedule(DataType::float64, cpu));
    EXPECT_EQ(search_result.found.tile.vectors, 2);
    EXPECT_NEAR(search_result.found.tile.columns, 12, 1) << "each tile has the model's blocks at first";
    EXPECT_EQ(search_result.found.unroll, 2);
    EXPECT_FALSE(search_result.found.rows_innermost);
    EXPECT_FALSE(search_result.found.prefetch_c);
    EXPECT_FALSE(search_result.found.prefetch_next);
    EXPECT_EQ(search_result.found.prefetch_a, 8);
    EXPECT_NEAR(static_cast<double>(search_result.found.kc), 260, 40);
    EXPECT_LT(valley(search_result.found), 1.1);
    EXPECT_DOUBLE_EQ(search_result.speedup, valley(search_result.model) / valley(search_result.found));
    EXPECT_DOUBLE_EQ(search_result.model_seconds, valley(search_result.model));
    EXPECT_NEAR(search_result.found_seconds, valley(search_result.found), 1e-12);
}

TEST(LineSearch, KeepsTheModelWhereNothingIsFaster) {
    FakeMatrixTimer world([](const Schedule&) { return 1.0; });
    const MatrixSearchResult search_result = search_schedule(setting(), world);
    EXPECT_EQ(search_result.found, search_result.model);
    EXPECT_EQ(search_result.speedup, 1);
    EXPECT_GT(search_result.timed, 20);
    std::set<std::string> texts;
    for (const Schedule& each : world.asked) texts.insert(to_string(each));
    EXPECT_EQ(texts.size(), world.asked.size()) << "nothing is timed twice";
}

TEST(LineSearch, StaysWithinItsTime) {
    FakeMatrixTimer world(valley, 1);
    const MatrixSearchResult search_result = search_schedule(setting(5), world);
    EXPECT_FALSE(search_result.is_complete);
    EXPECT_LE(world.now(), 7) << "one candidate, confirmed, and the last comparison may come after";
    FakeMatrixTimer again(valley, 1);
    EXPECT_EQ(search_schedule(setting(0), again).found, search_result.model);
    EXPECT_TRUE(again.asked.empty());
}

TEST(LineSearch, SaysWhatItGained) {
    FakeMatrixTimer world(valley);
    std::vector<std::string> lines;
    MatrixSearchSetting telling = setting();
    telling.progress = [&](const std::string& line) { lines.push_back(line); };
    search_schedule(telling, world);
    ASSERT_GT(lines.size(), 5U);
    EXPECT_EQ(lines.front().rfind("float64: model: tile=", 0), 0U) << lines.front();
    EXPECT_NE(lines.back().find("schedules timed"), std::string::npos) << lines.back();
}

TEST(MatrixParameters, ChangeOneThingEach) {
    const Schedule model = gemm::model_schedule(DataType::complex128, cpu);
    for (const MatrixParameter& parameter : matrix_parameters())
        for (const bool refines : {false, true})
            for (const Schedule& candidate :
                 parameter.candidates(DataType::complex128, cpu, model, refines)) {
                SCOPED_TRACE(std::string(parameter.name) + " " + to_string(candidate));
                EXPECT_EQ(gemm::parse_schedule(to_string(candidate), model.tile.lanes), candidate);
                EXPECT_TRUE(
                    gemm::fits_registers(gemm::OperandTypes::all(DataType::complex128), candidate.tile, cpu));
                if (parameter.name == "tile") continue;
                int changes = 0;
                changes += candidate.tile != model.tile;
                changes += candidate.unroll != model.unroll;
                changes += candidate.mc != model.mc;
                changes += candidate.kc != model.kc;
                changes += candidate.nc != model.nc;
                changes += candidate.rows_innermost != model.rows_innermost;
                changes += candidate.prefetch_c != model.prefetch_c;
                changes += candidate.prefetch_next != model.prefetch_next;
                changes += candidate.prefetch_a != model.prefetch_a;
                EXPECT_LE(changes, 1);
            }
}

TEST(HostMatrixTimer, TimesSchedulesOnThisMachine) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const DataType number : {DataType::float32, DataType::complex128}) {
        HostMatrixTimer timer(number, {40, 90});
        const Schedule model = gemm::model_schedule(number, target::host_cpu());
        Schedule thin = model;
        thin.tile = {model.tile.lanes, 1, 1};
        EXPECT_LT(timer.speedup(thin, model, 5), 0.9) << "one sum in registers waits for itself";
        EXPECT_GT(timer.seconds(model), 0);
        const MatrixRates rates = timer.rates({model, thin}, 90, 0.01);
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
        shared_wisdom(true)->erase_all();
        unsetenv("SWIRL_WISDOM");
    }
};

TEST_F(MatrixWisdom, KeepsWhatWasFoundAndTheModel) {
    EXPECT_EQ(lookup_schedule(DataType::float64, cpu), std::nullopt);
    MatrixSearchResult search_result;
    search_result.model = search_result.found = gemm::model_schedule(DataType::float64, cpu);
    search_result.found.kc = 256;
    search_result.model_seconds = 2e-3;
    search_result.found_seconds = 1e-3;
    store_schedule(DataType::float64, cpu, search_result);
    EXPECT_EQ(lookup_schedule(DataType::float64, cpu), search_result.found);
    EXPECT_EQ(lookup_schedule(DataType::float32, cpu), std::nullopt);
    EXPECT_EQ(lookup_schedule(DataType::float64, target::avx2_cpu()), std::nullopt) << "of another CPU";
    const auto entries = shared_wisdom(true)->entries();
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].first.problem, "gemm float64");
    EXPECT_EQ(entries[0].second.seconds, 1e-3);
    EXPECT_EQ(entries[1].first.problem, "gemm float64, model");
    EXPECT_EQ(entries[1].second.recipe, to_string(search_result.model));
    EXPECT_EQ(entries[1].second.seconds, 2e-3);
}

TEST_F(MatrixWisdom, IsTrustedOnlyOfThisVersionAndInOrder) {
    MatrixSearchResult search_result;
    search_result.model = search_result.found = gemm::model_schedule(DataType::float64, cpu);
    search_result.model_seconds = search_result.found_seconds = 1;
    store_schedule(DataType::float64, cpu, search_result);
    Wisdom& wisdom = *shared_wisdom(true);
    const auto [key, entry] = wisdom.entries().front();
    WisdomEntry other = entry;
    other.version = "0.0.0-other";
    wisdom.replace(key, other);
    EXPECT_EQ(lookup_schedule(DataType::float64, cpu), std::nullopt);
    other = entry;
    other.recipe = "tile=8x8 unroll=4 blocks=64x64x64 innermost=rows prefetch=c";
    wisdom.replace(key, other);
    EXPECT_EQ(lookup_schedule(DataType::float64, cpu), std::nullopt) << "it has too many sums";
    EXPECT_FALSE(wisdom.find(key)) << "and is forgotten";
}

TEST_F(MatrixWisdom, AProductThatIsMeasuredIsSearchedForOnceAndComputedSo) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    FakeMatrixTimer world([](const Schedule& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    const FindScheduleOptions options{.seconds = 1000, .timer = &world};
    const MatrixProduct large = MatrixProduct::column_major(DataType::complex64, 600, 600, 600);
    use_matrix_wisdom();
    find_schedule(large, options);
    ASSERT_FALSE(world.asked.empty());
    const auto known = lookup_schedule(DataType::complex64, target::host_cpu());
    ASSERT_TRUE(known.has_value());
    EXPECT_EQ(planning::MatrixKernels::of_host(DataType::complex64).schedule(), *known);
    EXPECT_FALSE(planning::MatrixKernels::prefer(DataType::complex64, gemm::Schedule{}))
        << "what is in use stays in use";
    world.asked.clear();
    find_schedule(large, options);
    EXPECT_TRUE(world.asked.empty()) << "wisdom knows";
    find_schedule(MatrixProduct::column_major(DataType::float64, 8, 8, 8), options);
    EXPECT_TRUE(world.asked.empty()) << "it has one kernel of its own";
}

} // namespace matrix_search_test
} // namespace swirl::search
