#include "search/candidates/cpu/gemm.hpp"

#include "base/error.hpp"
#include "search/cost/cpu/host.hpp"
#include "search/planner.hpp"
#include "search/search.hpp"
#include "search/timer/cpu/gemm_runs.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "support/error_of.hpp"
#include "support/fake_timer.hpp"

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

const BlockedGemm& blocks_of(const planning::Schedule& schedule) { return *schedule.cpu_gemm().blocked(); }

/// A timer of packed blocks.
FakeTimer timer(double (*seconds)(const BlockedGemm&), double cost = 0.01) {
    return FakeTimer([seconds](const Problem&,
                               const planning::Schedule& schedule) { return seconds(blocks_of(schedule)); },
                     cost);
}

SearchResult search(Timer& world, const SearchSetting& setting = {1000}) {
    return search::search(tuned_product(DataType::float64), cpu_gemm_space(DataType::float64, cpu), world,
                          setting);
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

TEST(LineSearch, FindsSeparableMinima) {
    FakeTimer world = timer(valley);
    const SearchResult result = search(world);
    const BlockedGemm model = gemm::model_schedule(DataType::float64, cpu);
    const BlockedGemm& found = blocks_of(result.best.schedule);
    EXPECT_TRUE(result.is_complete);
    EXPECT_EQ(blocks_of(world.timed.front()), model);
    EXPECT_EQ(found.tile.vectors, 2);
    EXPECT_NEAR(found.tile.columns, 12, 1) << "each tile has the model's blocks at first";
    EXPECT_EQ(found.unroll, 2);
    EXPECT_FALSE(found.rows_innermost);
    EXPECT_FALSE(found.prefetch_c);
    EXPECT_FALSE(found.prefetch_next);
    EXPECT_EQ(found.prefetch_a, 8);
    EXPECT_NEAR(static_cast<double>(found.kc), 260, 40);
    EXPECT_LT(valley(found), 1.1);
    EXPECT_DOUBLE_EQ(result.speedup(), valley(model) / valley(found));
    EXPECT_DOUBLE_EQ(result.estimate_seconds, valley(model));
    EXPECT_NEAR(result.best.seconds, valley(found), 1e-12);
}

TEST(LineSearch, KeepsTheModelWhereNothingIsFaster) {
    FakeTimer world = timer([](const BlockedGemm&) { return 1.0; });
    const SearchResult result = search(world);
    EXPECT_EQ(blocks_of(result.best.schedule), gemm::model_schedule(DataType::float64, cpu));
    EXPECT_EQ(result.speedup(), 1);
    EXPECT_GT(result.timed, 20);
    std::set<std::string> texts;
    std::size_t others = 0;
    for (const planning::Schedule& each : world.timed)
        if (each != result.best.schedule) {
            texts.insert(to_string(each));
            ++others;
        }
    EXPECT_EQ(texts.size(), others) << "nothing is timed twice";
}

TEST(LineSearch, StaysWithinItsTime) {
    FakeTimer world = timer(valley, 1);
    EXPECT_FALSE(search(world, {5}).is_complete);
    EXPECT_LE(world.now(), 8) << "one candidate, confirmed, and the last comparison may come after";
    FakeTimer again = timer(valley, 1);
    EXPECT_EQ(blocks_of(search(again, {0}).best.schedule), gemm::model_schedule(DataType::float64, cpu));
    EXPECT_EQ(again.timed.size(), 1U) << "the model's";
}

TEST(LineSearch, SaysWhatItGained) {
    FakeTimer world = timer(valley);
    std::vector<std::string> lines;
    search(world, {1000, [&](const std::string& line) { lines.push_back(line); }});
    ASSERT_GT(lines.size(), 5U);
    EXPECT_EQ(lines.front().rfind("gemm 1000x1000x1000", 0), 0U) << lines.front();
    EXPECT_NE(lines.back().find("schedules timed"), std::string::npos) << lines.back();
}

TEST(MatrixParameters, ChangeOneThingEach) {
    const BlockedGemm model = gemm::model_schedule(DataType::complex128, cpu);
    for (const BlockedGemmParameter& parameter : blocked_gemm_parameters())
        for (const bool refines : {false, true})
            for (const BlockedGemm& candidate :
                 parameter.candidates(DataType::complex128, cpu, model, refines)) {
                SCOPED_TRACE(std::string(parameter.name) + " " + to_string(candidate));
                EXPECT_EQ(*gemm::parse_cpu_gemm(to_string(gemm::CpuGemm{candidate}), cpu,
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

TEST(CpuGemmRuns, TimesSchedulesOnThisMachine) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const DataType data_type : {DataType::float32, DataType::complex128}) {
        CpuGemmRuns timer(data_type, {40, 90});
        const BlockedGemm model = gemm::model_schedule(data_type, target::host_cpu());
        BlockedGemm thin = model;
        thin.tile = {model.tile.lanes, 1, 1};
        EXPECT_LT(timer.compare(thin, model, Care::screen).speedup, 0.9)
            << "one sum in registers waits for itself";
        EXPECT_GT(timer.seconds(model), 0);
        const MatrixRates rates = timer.rates({model, thin}, 90, 0.01);
        ASSERT_EQ(rates.schedules.size(), 2U);
        EXPECT_EQ(rates.schedules[0].ratio, 1);
        EXPECT_LT(rates.schedules[1].ratio, 0.9);
        EXPECT_GT(rates.peak, rates.schedules[1].median);
    }
}

/// Wisdom of its own, in memory.
class StoredBlocks : public testing::Test {
protected:
    void SetUp() override { setenv("SWIRL_WISDOM", ":memory:", 1); }
    void TearDown() override {
        shared_wisdom(true)->erase_all();
        unsetenv("SWIRL_WISDOM");
    }
    static std::optional<BlockedGemm> trusted(DataType data_type, const target::Cpu& of = cpu) {
        const auto known = stored_blocks(data_type, of).lookup();
        return known && known->is_trusted() ? std::optional(blocks_of(known->schedule)) : std::nullopt;
    }
    static void store(const BlockedGemm& schedule, double seconds, bool use_wisdom = true) {
        stored_blocks(DataType::float64, cpu, use_wisdom)
            .store(planning::Schedule(cpu.name, gemm::CpuGemm{schedule}), seconds, FoundBy::measure);
    }
};

TEST_F(StoredBlocks, AreWhatWasFound) {
    StoredSchedules stored = stored_blocks(DataType::float64, cpu);
    EXPECT_FALSE(stored.lookup());
    BlockedGemm found = gemm::model_schedule(DataType::float64, cpu);
    found.kc = 256;
    store(found, 1e-3, false);
    EXPECT_FALSE(stored.lookup()) << "not in use";
    store(found, 1e-3);
    EXPECT_EQ(trusted(DataType::float64), found);
    EXPECT_FALSE(stored_blocks(DataType::float64, cpu, false).lookup()) << "left out";
    EXPECT_FALSE(trusted(DataType::float32));
    EXPECT_FALSE(trusted(DataType::float64, target::avx2_cpu())) << "of another CPU";
    const auto entries = shared_wisdom(true)->entries();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].first.problem, "gemm float64");
    EXPECT_EQ(entries[0].second.schedule, to_string(planning::Schedule(cpu.name, gemm::CpuGemm{found})));
    EXPECT_EQ(entries[0].second.seconds, 1e-3);
}

TEST_F(StoredBlocks, AreTrustedOnlyOfThisVersionAndInOrder) {
    store(gemm::model_schedule(DataType::float64, cpu), 1);
    Wisdom& wisdom = *shared_wisdom(true);
    const auto [key, entry] = wisdom.entries().front();
    WisdomEntry other = entry;
    other.version = "0.0.0-other";
    wisdom.replace(key, other);
    EXPECT_FALSE(trusted(DataType::float64));
    EXPECT_TRUE(stored_blocks(DataType::float64, cpu).lookup()) << "kept for a search";
    other = entry;
    other.schedule = "avx512: blocked mr=64 nr=8 unroll=4 mc=64 kc=64 nc=64 loop=rows prefetch=c";
    wisdom.replace(key, other);
    EXPECT_FALSE(trusted(DataType::float64)) << "it has too many accumulators";
    EXPECT_FALSE(wisdom.find(key)) << "and is erased";
}

class MatrixPlanner : public StoredBlocks {
protected:
    void SetUp() override {
        StoredBlocks::SetUp();
        if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    }
    static MatrixProduct square(DataType data_type, Integer n) {
        return MatrixProduct::column_major(data_type, n, n, n);
    }
    /// A schedule that only a search finds.
    static gemm::BlockedGemm store_odd_schedule(DataType data_type) {
        gemm::BlockedGemm found = gemm::model_schedule(data_type, target::host_cpu());
        found.kc = 104;
        found.unroll = 2;
        stored_blocks(data_type, target::host_cpu())
            .store(planning::Schedule(target::host_cpu().name, gemm::CpuGemm{found}), 1, FoundBy::measure);
        return found;
    }
};

TEST_F(MatrixPlanner, SearchesOnceStoresAndUsesWhatItFinds) {
    FakeTimer world = timer([](const BlockedGemm& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    const Options request{.effort = Effort::measure, .time_budget_seconds = 1000};
    const MatrixProduct large = square(DataType::complex64, 600);
    const auto plan = make_plan<planning::MatrixPlan>(large, request, &world);
    ASSERT_FALSE(world.timed.empty());
    const auto known = trusted(DataType::complex64, target::host_cpu());
    ASSERT_TRUE(known.has_value());
    ASSERT_NE(plan->schedule().cpu_gemm().blocked(), nullptr);
    EXPECT_EQ(*plan->schedule().cpu_gemm().blocked(), *known);
    world.timed.clear();
    EXPECT_EQ(make_plan<planning::MatrixPlan>(large, request, &world)->schedule(), plan->schedule());
    EXPECT_TRUE(world.timed.empty()) << "wisdom knows";
    EXPECT_EQ(make_plan<planning::MatrixPlan>(large)->schedule(), plan->schedule())
        << "estimates use it, too";
    make_plan(square(DataType::float64, 8), request, &world);
    EXPECT_TRUE(world.timed.empty()) << "it has one kernel of its own";
}

TEST_F(MatrixPlanner, ComparesForeignSchedulesWithTheModel) {
    const target::Cpu& host = target::host_cpu();
    const BlockedGemm model = gemm::model_schedule(DataType::float64, host);
    BlockedGemm other = model;
    other.kc = 104;
    const std::string text = to_string(planning::Schedule(host.name, gemm::CpuGemm{other}));
    for (const auto& [device, version] :
         {std::pair(cpu_key(host), "0.0.1"), std::pair(std::string("another host"), "")})
        for (const double seconds : {0.5, 2.0}) {
            shared_wisdom(true)->erase_all();
            shared_wisdom(true)->replace(
                {device, "gemm float64"},
                {.schedule = text, .seconds = 1e-9, .found_by = FoundBy::measure, .version = version});
            EXPECT_EQ(*make_plan<planning::MatrixPlan>(square(DataType::float64, 800))
                           ->schedule()
                           .cpu_gemm()
                           .blocked(),
                      model)
                << "not trusted";
            FakeTimer world(
                [&](const Problem&, const planning::Schedule& timed) {
                    return blocks_of(timed) == other ? seconds : 1.0;
                },
                1);
            make_plan<planning::MatrixPlan>(square(DataType::float64, 800),
                                            {.effort = Effort::measure, .time_budget_seconds = 20}, &world);
            EXPECT_EQ(trusted(DataType::float64, host), seconds < 1 ? other : model);
        }
}

TEST_F(MatrixPlanner, LeavesWisdomOut) {
    const gemm::BlockedGemm stored = store_odd_schedule(DataType::float64);
    const MatrixProduct product = square(DataType::float64, 800);
    EXPECT_EQ(*make_plan<planning::MatrixPlan>(product)->schedule().cpu_gemm().blocked(), stored);
    EXPECT_EQ(
        *make_plan<planning::MatrixPlan>(product, {.use_wisdom = false})->schedule().cpu_gemm().blocked(),
        gemm::model_schedule(DataType::float64, target::host_cpu()));
    FakeTimer world = timer([](const BlockedGemm& schedule) { return schedule.unroll == 3 ? 1.0 : 2.0; });
    make_plan<planning::MatrixPlan>(
        product, {.effort = Effort::measure, .time_budget_seconds = 1000, .use_wisdom = false}, &world);
    EXPECT_FALSE(world.timed.empty());
    EXPECT_EQ(*make_plan<planning::MatrixPlan>(product)->schedule().cpu_gemm().blocked(), stored)
        << "and stores nothing";
}

TEST_F(MatrixPlanner, TuningKeepsBitsAtAnyThreadCount) {
    store_odd_schedule(DataType::float64);
    for (const auto& [rows, columns, k] :
         {std::array<Integer, 3>{500, 450, 470}, {2000, 40, 3000}, {300, 310, 320}}) {
        const MatrixProduct product = MatrixProduct::column_major(DataType::float64, rows, columns, k);
        std::vector<double> a(static_cast<std::size_t>(rows * k)), b(static_cast<std::size_t>(k * columns));
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(3 * i));
        std::vector<double> first;
        for (const int threads : {1, 2, 3}) {
            const auto plan = make_plan<planning::MatrixPlan>(product, {.threads = threads});
            const auto again = make_plan<planning::MatrixPlan>(
                product, {.threads = threads, .schedule = to_string(plan->schedule())});
            EXPECT_EQ(again->schedule(), plan->schedule()) << to_string(plan->schedule());
            for (const auto& each : {plan, again}) {
                std::vector<double> c(static_cast<std::size_t>(rows * columns));
                const double one = 1, zero = 0;
                each->execute({&one, a.data(), b.data(), &zero, c.data()}, planning::ScalarKind::one,
                              planning::ScalarKind::zero);
                if (first.empty()) first = c;
                EXPECT_EQ(c, first) << threads << " threads, " << to_string(each->schedule());
            }
        }
    }
}

TEST_F(MatrixPlanner, TakesASchedule) {
    const MatrixProduct product = square(DataType::float64, 100);
    for (const char* text :
         {"portable: builtin", "sse2: blocked mr=4 nr=4 unroll=2 mc=16 kc=40 nc=24 loop=columns prefetch=c",
          "sse2: unpacked mr=4 nr=3 lanes=2 unroll=4 kc=50 loop=rows prefetch=none"}) {
        const auto plan = make_plan<planning::MatrixPlan>(product, {.schedule = text});
        EXPECT_EQ(to_string(plan->schedule()), text);
        std::vector<double> ones(10000, 1), c(10000);
        const double one = 1, zero = 0;
        plan->execute({&one, ones.data(), ones.data(), &zero, c.data()}, planning::ScalarKind::one,
                      planning::ScalarKind::zero);
        EXPECT_EQ(c, std::vector<double>(10000, 100)) << text;
    }
    EXPECT_NE(error_of<UserError>([&] {
                  make_plan<planning::MatrixPlan>(product, {.cpu = "sse2", .schedule = "portable: builtin"});
              }).find("cpu is sse2, but the schedule is for portable"),
              std::string::npos);
    EXPECT_NE(error_of<Unavailable>([&] {
                  make_plan<planning::MatrixPlan>(product, {.cpu = "neon"});
              }).find("cpu is neon, which this machine cannot run"),
              std::string::npos);
    EXPECT_EQ(make_plan<planning::MatrixPlan>(product, {.cpu = "sse2"})->cpu().name, "sse2");
}

TEST_F(MatrixPlanner, PlansWithAndWithoutTheCheck) {
    const MatrixProduct product = square(DataType::float32, 12);
    std::vector<float> ones(144, 1), c(144);
    const float one = 1, zero = 0;
    for (const bool check : {true, false}) {
        const auto plan = make_plan<planning::MatrixPlan>(product, {.check = check});
        plan->execute({&one, ones.data(), ones.data(), &zero, c.data()}, planning::ScalarKind::one,
                      planning::ScalarKind::zero);
        EXPECT_EQ(c, std::vector<float>(144, 12));
    }
}

} // namespace matrix_search_test
} // namespace swirl::search
