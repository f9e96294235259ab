#include "search/matrix_search.hpp"

#include "base/error.hpp"
#include "search/matrix_planner.hpp"
#include "search/wisdom/matrix_wisdom.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "support/error_of.hpp"
#include "support/fake_matrix_timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace swirl::search {
namespace matrix_search_test {

using gemm::BlockedGemm;

const target::Cpu& cpu = target::avx512_cpu();

MatrixSearchSetting setting(double seconds = 1000) {
    return {.data_type = DataType::float64, .cpu = cpu, .seconds = seconds, .progress = {}};
}

/// Every parameter has its own best value, far from the model's.
double valley(const BlockedGemm& schedule) {
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
    FakeMatrixTimer world([](const BlockedGemm&) { return 1.0; });
    const MatrixSearchResult search_result = search_schedule(setting(), world);
    EXPECT_EQ(search_result.found, search_result.model);
    EXPECT_EQ(search_result.speedup, 1);
    EXPECT_GT(search_result.timed, 20);
    std::set<std::string> texts;
    for (const BlockedGemm& each : world.asked) texts.insert(to_string(each));
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
    EXPECT_EQ(lines.front().rfind("float64: model: blocked mr=", 0), 0U) << lines.front();
    EXPECT_NE(lines.back().find("schedules timed"), std::string::npos) << lines.back();
}

TEST(MatrixParameters, ChangeOneThingEach) {
    const BlockedGemm model = gemm::model_schedule(DataType::complex128, cpu);
    for (const MatrixParameter& parameter : matrix_parameters())
        for (const bool refines : {false, true})
            for (const BlockedGemm& candidate :
                 parameter.candidates(DataType::complex128, cpu, model, refines)) {
                SCOPED_TRACE(std::string(parameter.name) + " " + to_string(candidate));
                EXPECT_EQ(*gemm::parse_cpu_gemm(to_string(gemm::CpuGemm{&cpu, candidate}),
                                                MatrixProduct::column_major(DataType::complex128, 9, 9, 9))
                               .blocked(),
                          candidate);
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
        const BlockedGemm model = gemm::model_schedule(number, target::host_cpu());
        BlockedGemm thin = model;
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
class StoredSchedules : public testing::Test {
protected:
    void SetUp() override { setenv("SWIRL_WISDOM", ":memory:", 1); }
    void TearDown() override {
        shared_wisdom(true)->erase_all();
        unsetenv("SWIRL_WISDOM");
    }
};

TEST_F(StoredSchedules, AreWhatWasFoundAndTheModel) {
    MatrixWisdom wisdom(cpu, true);
    EXPECT_FALSE(wisdom.lookup(DataType::float64));
    MatrixSearchResult search_result;
    search_result.model = search_result.found = gemm::model_schedule(DataType::float64, cpu);
    search_result.found.kc = 256;
    search_result.model_seconds = 2e-3;
    search_result.found_seconds = 1e-3;
    MatrixWisdom(cpu, false).store(DataType::float64, search_result);
    EXPECT_FALSE(wisdom.lookup(DataType::float64)) << "not in use";
    wisdom.store(DataType::float64, search_result);
    EXPECT_EQ(wisdom.trusted(DataType::float64), search_result.found);
    EXPECT_FALSE(MatrixWisdom(cpu, false).lookup(DataType::float64)) << "left out";
    EXPECT_FALSE(wisdom.lookup(DataType::float32));
    EXPECT_FALSE(MatrixWisdom(target::avx2_cpu(), true).lookup(DataType::float64)) << "of another CPU";
    const auto entries = shared_wisdom(true)->entries();
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].first.problem, "gemm float64");
    EXPECT_EQ(entries[0].second.schedule, to_string(gemm::CpuGemm{&cpu, search_result.found}));
    EXPECT_EQ(entries[0].second.seconds, 1e-3);
    EXPECT_EQ(entries[1].first.problem, "gemm float64, model");
    EXPECT_EQ(entries[1].second.schedule, to_string(gemm::CpuGemm{&cpu, search_result.model}));
    EXPECT_EQ(entries[1].second.seconds, 2e-3);
}

TEST_F(StoredSchedules, AreTrustedOnlyOfThisVersionAndInOrder) {
    MatrixWisdom of_cpu(cpu, true);
    MatrixSearchResult search_result;
    search_result.model = search_result.found = gemm::model_schedule(DataType::float64, cpu);
    search_result.model_seconds = search_result.found_seconds = 1;
    of_cpu.store(DataType::float64, search_result);
    Wisdom& wisdom = *shared_wisdom(true);
    const auto [key, entry] = wisdom.entries().front();
    WisdomEntry other = entry;
    other.version = "0.0.0-other";
    wisdom.replace(key, other);
    EXPECT_FALSE(of_cpu.trusted(DataType::float64));
    EXPECT_TRUE(of_cpu.lookup(DataType::float64)) << "kept for a search";
    other = entry;
    other.schedule = "avx512: blocked mr=64 nr=8 unroll=4 mc=64 kc=64 nc=64 loop=rows prefetch=c";
    wisdom.replace(key, other);
    EXPECT_FALSE(of_cpu.trusted(DataType::float64)) << "it has too many accumulators";
    EXPECT_FALSE(wisdom.find(key)) << "and is erased";
}

class MatrixPlanner : public StoredSchedules {
protected:
    void SetUp() override {
        StoredSchedules::SetUp();
        if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    }
    static MatrixProduct square(DataType data_type, Integer n) {
        return MatrixProduct::column_major(data_type, n, n, n);
    }
    /// A schedule that only a search finds.
    static gemm::BlockedGemm store_odd_schedule(DataType data_type) {
        MatrixSearchResult result;
        result.model = result.found = gemm::model_schedule(data_type, target::host_cpu());
        result.found.kc = 104;
        result.found.unroll = 2;
        result.model_seconds = result.found_seconds = 1;
        MatrixWisdom(target::host_cpu(), true).store(data_type, result);
        return result.found;
    }
};

TEST_F(MatrixPlanner, SearchesOnceStoresAndUsesWhatItFinds) {
    FakeMatrixTimer world([](const BlockedGemm& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    const MatrixPlanRequest request{.effort = Effort::measure, .time_budget_seconds = 1000, .timer = &world};
    const MatrixProduct large = square(DataType::complex64, 600);
    const auto plan = make_matrix_plan(large, request);
    ASSERT_FALSE(world.asked.empty());
    const auto known = MatrixWisdom(target::host_cpu(), true).trusted(DataType::complex64);
    ASSERT_TRUE(known.has_value());
    ASSERT_NE(plan->choices().blocked(), nullptr);
    EXPECT_EQ(*plan->choices().blocked(), *known);
    world.asked.clear();
    EXPECT_EQ(make_matrix_plan(large, request)->choices(), plan->choices());
    EXPECT_TRUE(world.asked.empty()) << "wisdom knows";
    EXPECT_EQ(make_matrix_plan(large)->choices(), plan->choices()) << "estimates use it, too";
    make_matrix_plan(square(DataType::float64, 8), request);
    EXPECT_TRUE(world.asked.empty()) << "it has one kernel of its own";
}

TEST_F(MatrixPlanner, LeavesWisdomOut) {
    const gemm::BlockedGemm stored = store_odd_schedule(DataType::float64);
    const MatrixProduct product = square(DataType::float64, 600);
    EXPECT_EQ(*make_matrix_plan(product)->choices().blocked(), stored);
    EXPECT_EQ(*make_matrix_plan(product, {.use_wisdom = false})->choices().blocked(),
              gemm::model_schedule(DataType::float64, target::host_cpu()));
    FakeMatrixTimer world([](const BlockedGemm& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    make_matrix_plan(
        product,
        {.effort = Effort::measure, .time_budget_seconds = 1000, .use_wisdom = false, .timer = &world});
    EXPECT_FALSE(world.asked.empty());
    EXPECT_EQ(*make_matrix_plan(product)->choices().blocked(), stored) << "and stores nothing";
}

TEST_F(MatrixPlanner, KeepsTheBitsAtAnyNumberOfThreadsAfterTuning) {
    store_odd_schedule(DataType::float64);
    for (const auto& [rows, columns, k] :
         {std::array<Integer, 3>{500, 450, 470}, {2000, 40, 3000}, {300, 310, 320}}) {
        const MatrixProduct product = MatrixProduct::column_major(DataType::float64, rows, columns, k);
        std::vector<double> a(static_cast<std::size_t>(rows * k)), b(static_cast<std::size_t>(k * columns));
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(3 * i));
        std::vector<double> first;
        for (const int threads : {1, 2, 3}) {
            const auto plan = make_matrix_plan(product, {.threads = threads});
            const auto again = make_matrix_plan(product, {.threads = threads, .schedule = plan->schedule()});
            EXPECT_EQ(again->choices(), plan->choices()) << plan->schedule();
            for (const auto& each : {plan, again}) {
                std::vector<double> c(static_cast<std::size_t>(rows * columns));
                const double one = 1, zero = 0;
                each->execute({&one, a.data(), b.data(), &zero, c.data()}, planning::ScalarKind::one,
                              planning::ScalarKind::zero);
                if (first.empty()) first = c;
                EXPECT_EQ(c, first) << threads << " threads, " << each->schedule();
            }
        }
    }
}

TEST_F(MatrixPlanner, TakesASchedule) {
    const MatrixProduct product = square(DataType::float64, 100);
    for (const char* text :
         {"portable: builtin", "sse2: blocked mr=4 nr=4 unroll=2 mc=16 kc=40 nc=24 loop=columns prefetch=c",
          "sse2: unpacked mr=4 nr=3 lanes=2 unroll=4 kc=50 loop=rows prefetch=none"}) {
        const auto plan = make_matrix_plan(product, {.schedule = text});
        EXPECT_EQ(plan->schedule(), text);
        std::vector<double> ones(10000, 1), c(10000);
        const double one = 1, zero = 0;
        plan->execute({&one, ones.data(), ones.data(), &zero, c.data()}, planning::ScalarKind::one,
                      planning::ScalarKind::zero);
        EXPECT_EQ(c, std::vector<double>(10000, 100)) << text;
    }
    EXPECT_NE(error_of<UserError>([&] {
                  make_matrix_plan(product, {.cpu = &target::sse2_cpu(), .schedule = "portable: builtin"});
              }).find("the schedule is for portable and cpu is sse2"),
              std::string::npos);
    EXPECT_NE(error_of<UserError>([&] {
                  make_matrix_plan(product, {.cpu = &target::neon_cpu()});
              }).find("cpu is neon, whose code cannot run here"),
              std::string::npos);
    EXPECT_EQ(make_matrix_plan(product, {.cpu = &target::sse2_cpu()})->choices().cpu, &target::sse2_cpu());
}

TEST_F(MatrixPlanner, PlansWithAndWithoutTheCheck) {
    const MatrixProduct product = square(DataType::float32, 12);
    std::vector<float> ones(144, 1), c(144);
    const float one = 1, zero = 0;
    for (const bool check : {true, false}) {
        const auto plan = make_matrix_plan(product, {.check = check});
        plan->execute({&one, ones.data(), ones.data(), &zero, c.data()}, planning::ScalarKind::one,
                      planning::ScalarKind::zero);
        EXPECT_EQ(c, std::vector<float>(144, 12));
    }
}

} // namespace matrix_search_test
} // namespace swirl::search
