#include "search/candidates/gpu/gemm.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "sass/fixture.hpp"
#include "search/candidates/gpu/gemm_code.hpp"
#include "search/planner.hpp"
#include "search/search.hpp"
#include "search/timer/gpu/gemm_runs.hpp"
#include "support/cuda_fixture.hpp"
#include "support/fake_timer.hpp"
#include "support/own_wisdom.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace swirl::search {
namespace gpu_matrix_search_test {

using gemm::GpuGemmSchedule;
using gemm::SimtGemm;
using gemm::StreamK;

const MatrixProduct product = MatrixProduct::column_major(DataType::float32, 512, 512, 256);
const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// A schedule costs a second.
FakeTimer known_times(std::function<double(const GpuGemmSchedule&)> time, const MatrixProduct& of = product) {
    return FakeTimer(
        [time = std::move(time), of](const Problem&, const planning::Schedule& schedule) {
            EXPECT_NO_THROW(gemm::validate(schedule.gpu_gemm(), of, gpu()));
            return time(schedule.gpu_gemm());
        },
        1);
}

/// What a search tries besides its product.
struct Trying {
    double seconds = 1e6;
    std::size_t most = 5;
    bool reorder_sass = false;
    std::function<void(const std::string&)> progress = {};
};

SearchResult searched(Timer& known, const Trying& trying = {}, const MatrixProduct& of = product) {
    return search::search(
        of, gpu_gemm_space(of, {.gpu = gpu(), .most = trying.most, .reorder_sass = trying.reorder_sass}),
        known, {trying.seconds, trying.progress});
}

GpuGemmSchedule model_of(const MatrixProduct& of = product) {
    return gemm::gpu_schedules(of, gpu(), 1).front();
}

int stages_of(const GpuGemmSchedule& schedule) {
    const auto* const wgmma = std::get_if<gemm::WgmmaGemm>(&schedule);
    return wgmma != nullptr ? wgmma->stages : std::get<SimtGemm>(schedule).stages;
}

const StreamK* stream_k_of(const GpuGemmSchedule& schedule) {
    return std::get<SimtGemm>(schedule).stream_k();
}

/// The nearer to 6 stages and groups of 2 the faster; by rows is fastest.
double known_time(const GpuGemmSchedule& schedule) {
    const SimtGemm& simt = std::get<SimtGemm>(schedule);
    const auto* const fma = std::get_if<gemm::Fma>(&simt.math);
    const double order = fma != nullptr && fma->order == gemm::FmaOrder::rows ? 0 : 0.1;
    return 1 + 0.1 * std::abs(simt.stages - 6) + 0.1 * std::abs(std::log2(simt.raster_group) - 1) + order;
}

TEST(SearchForGpuSchedules, FindsTheFastestAlongEachParameter) {
    FakeTimer known = known_times(known_time);
    std::vector<std::string> lines;
    const SearchResult result =
        searched(known, {.progress = [&](const std::string& line) { lines.push_back(line); }});
    EXPECT_EQ(known.timed.front().gpu_gemm(), model_of());
    const SimtGemm found = std::get<SimtGemm>(result.best.schedule.gpu_gemm());
    EXPECT_EQ(found.stages, 6);
    EXPECT_EQ(found.raster_group, 2);
    EXPECT_EQ(std::get<gemm::Fma>(found.math).order, gemm::FmaOrder::rows);
    EXPECT_EQ(result.best.seconds, 1);
    EXPECT_GT(result.speedup(), 1);
    EXPECT_TRUE(result.is_complete);
    EXPECT_GE(lines.size(), 4U);
}

TEST(SearchForGpuSchedules, KeepsTheModelsWhereNothingIsClearlyFaster) {
    FakeTimer known =
        known_times([](const GpuGemmSchedule& schedule) { return 1 - 1e-4 * stages_of(schedule); });
    const SearchResult result = searched(known);
    EXPECT_EQ(result.best.schedule.gpu_gemm(), model_of());
    EXPECT_EQ(result.speedup(), 1);
}

TEST(SearchForGpuSchedules, TriesStreamKWithResidentBlocks) {
    const MatrixProduct large = MatrixProduct::column_major(DataType::float64, 3000, 3000, 3000);
    int streams = 0;
    FakeTimer known = known_times(
        [&](const GpuGemmSchedule& schedule) {
            const StreamK* const stream_k = stream_k_of(schedule);
            if (stream_k == nullptr) return 1.0;
            EXPECT_EQ(stream_k->blocks % gpu().multiprocessors, 0);
            ++streams;
            return 0.5;
        },
        large);
    const SearchResult result = searched(known, {.most = 1}, large);
    EXPECT_NE(stream_k_of(result.best.schedule.gpu_gemm()), nullptr);
    EXPECT_GE(streams, 2);
}

TEST(SearchForGpuSchedules, EndsWithTheTime) {
    FakeTimer known = known_times(known_time);
    EXPECT_FALSE(searched(known, {.seconds = 10, .most = 100}).is_complete);
    EXPECT_LE(known.now(), 10 + 2 + 9);
}

TEST(SearchForGpuSchedules, LeavesOutWhatCannotBeBuilt) {
    FakeTimer known =
        known_times([](const GpuGemmSchedule& schedule) { return stages_of(schedule) == 4 ? 1.0 : -1.0; });
    const SearchResult result = searched(known);
    EXPECT_EQ(stages_of(result.best.schedule.gpu_gemm()), 4);
    EXPECT_GT(result.infeasible, 2);
}

TEST(SearchForGpuSchedules, TriesReorderedSassMainLoops) {
    for (const bool is_allowed : {false, true}) {
        FakeTimer known =
            known_times([](const GpuGemmSchedule& schedule) { return reorders_sass(schedule) ? 0.9 : 1.0; });
        const SearchResult result = searched(known, {.reorder_sass = is_allowed});
        EXPECT_EQ(reorders_sass(result.best.schedule.gpu_gemm()), is_allowed);
        EXPECT_FALSE(reorders_sass(known.timed.front().gpu_gemm()));
    }
}

/// A main loop that takes so many percent of the cycles of its multiply-adds.
CompiledGemm code_of(long long cycles, int spills = 0) {
    constexpr long long hundreds = 40;
    sass::LoopScore loop;
    loop.multiply_adds = loop.instructions = 100 * hundreds;
    loop.issue_cycles = loop.single_warp_cycles = cycles * hundreds;
    loop.counts[static_cast<std::size_t>(sass::Kind::local_load)] = spills;
    sass::KernelScore score;
    score.registers = 128;
    score.spills = spills;
    score.loop = loop;
    return {.score = score};
}

TEST(MachineCodeOfSchedules, SaysWhatAProductTakesAtLeast) {
    const MatrixProduct large = MatrixProduct::column_major(DataType::float32, 4096, 4096, 4096);
    const GpuGemmSchedule schedule;
    const auto least = [&](const sass::KernelScore& score) {
        return min_seconds(score, large, schedule, gpu());
    };
    sass::KernelScore score = *code_of(100).score;
    const double peak = 2.0 * 4096 * 4096 * 4096 / least(score); // all slots are multiply-adds
    EXPECT_NEAR(peak, 132 * 4 * 32 * 2 * gemm::model_rates(gpu()).hertz, 1e-3 * peak);
    EXPECT_DOUBLE_EQ(least(*code_of(150).score), 1.5 * least(score));
    score.loop->single_warp_cycles *= 16; // of which a scheduler's four warps hide three quarters
    EXPECT_DOUBLE_EQ(least(score), 4 * least(*code_of(100).score));
    score.loop->multiply_adds = 100; // a loop of something else
    EXPECT_EQ(least(score), 0);
    score.loop.reset();
    EXPECT_EQ(least(score), 0);
    EXPECT_EQ(min_seconds(*code_of(100).score, large, SimtGemm{.math = gemm::MmaSync{.k = 16}}, gpu()), 0);
    EXPECT_EQ(min_seconds(*code_of(100).score, large, gemm::WgmmaGemm{}, gpu()), 0);
    const MatrixProduct of_complex = MatrixProduct::column_major(DataType::complex64, 4096, 4096, 4096);
    EXPECT_DOUBLE_EQ(min_seconds(*code_of(100).score, of_complex, schedule, gpu()),
                     4 * least(*code_of(100).score));
}

TEST(MachineCodeOfSchedules, IsNotWorthTimingWhereItCannotBeFaster) {
    const GpuGemmSchedule schedule;
    const auto why = [&](const CompiledGemm& code, double best, long long spills = 0) {
        return reason_not_to_time(code, product, schedule, gpu(), {best, spills}).value_or("");
    };
    EXPECT_EQ(why({}, 1e-9), "") << "nothing is known";
    EXPECT_EQ(why({.failed_because = "too many registers"}, 1), "too many registers");
    EXPECT_EQ(why({.not_reordered_because = "7 steps"}, 1), "the main loop stays as compiled: 7 steps");
    EXPECT_EQ(why(code_of(100, 41), 1), "41 loads and stores of spilled registers in the main loop");
    EXPECT_EQ(why(code_of(100, 40), 1), "") << "one of a hundred instructions";
    EXPECT_EQ(why(code_of(100, 41), 1, 30), "") << "so does the fastest";
    const double least = min_seconds(*code_of(100).score, product, schedule, gpu());
    EXPECT_EQ(why(code_of(100), least), "");
    EXPECT_EQ(why(code_of(109), least), "");
    EXPECT_NE(why(code_of(111), least).find("its main loop alone takes"), std::string::npos);
    sass::KernelScore unrolled;
    unrolled.spills = 2;
    EXPECT_EQ(why({.score = unrolled}, 1), "2 loads and stores of spilled registers in the kernel");
}

/// What a compiler made of one schedule, with room for the registers that it wants and with less.
TEST(MachineCodeOfSchedules, IsReadFromCompiledKernels) {
    const auto code = [](const std::string& name) {
        const sass::Cubin cubin(sass::bytes_of_text(sass::fixture_text(name)));
        return CompiledGemm{.score = sass::score(cubin, cubin.kernel("gemm"))};
    };
    const MatrixProduct small = MatrixProduct::column_major(DataType::float32, 64, 64, 64);
    const GpuGemmSchedule schedule =
        gemm::parse_gpu_schedule("cta_m=32 cta_n=32 cta_k=8 thread_m=4 thread_n=4 stages=3");
    EXPECT_EQ(reason_not_to_time(code("product.cubin"), small, schedule, gpu(), {.seconds = 1}),
              std::nullopt);
    EXPECT_EQ(reason_not_to_time(code("spilled.cubin"), small, schedule, gpu(), {.seconds = 1}),
              "38 loads and stores of spilled registers in the main loop");
    EXPECT_GT(min_seconds(*code("spilled.cubin").score, small, schedule, gpu()),
              1.2 * min_seconds(*code("product.cubin").score, small, schedule, gpu()));
}

TEST(MachineCodeOfSchedules, LeavesOutWhatIsSlowAndOrdersTheRest) {
    const std::vector<GpuGemmSchedule> likely = gemm::gpu_schedules(product, gpu(), 6);
    ASSERT_EQ(likely.size(), 6U);
    const std::vector<CompiledGemm> codes = {code_of(100),       code_of(9'000'000), code_of(100, 50),
                                             code_of(8'000'000), code_of(7'000'000), code_of(1'000'000'000)};
    const double incumbent = min_seconds(*code_of(10'000'000).score, product, likely[0], gpu());
    const TimingOrder order = timing_order(codes, likely, product, gpu(), incumbent);
    ASSERT_EQ(order.left_out.size(), 2U);
    EXPECT_EQ(order.left_out[0].first, 2U);
    EXPECT_EQ(order.left_out[0].second, "50 loads and stores of spilled registers in the main loop");
    EXPECT_EQ(order.left_out[1].first, 5U);
    EXPECT_TRUE(order.left_out[1].second.starts_with("its main loop alone takes"));
    EXPECT_EQ(order.worth_timing, (std::vector<std::size_t>{4, 3, 1}));
}

TEST(SearchForGpuSchedules, KnowsWhichProductsHaveMainLoopsInMachineCode) {
    GpuGemmSchedule schedule;
    ASSERT_TRUE(with_sass_reordering(schedule, product, gpu()));
    EXPECT_EQ(with_sass_reordering(schedule, product, gpu())->reorders_sass(), true);
    EXPECT_FALSE(with_sass_reordering(schedule, product, target::gpu_named("sm_80")));
    MatrixProduct other = product;
    other.a_type = DataType::bfloat16;
    EXPECT_FALSE(with_sass_reordering(schedule, other, gpu()));
    EXPECT_FALSE(
        with_sass_reordering(schedule, MatrixProduct::column_major(DataType::float64, 512, 512, 256), gpu()));
    schedule = gemm::WgmmaGemm{};
    EXPECT_FALSE(with_sass_reordering(schedule, product, gpu()));
}

/// With a driver whose kernels do nothing, in 2.5 ms each time.
class GpuSchedulesInWisdom : public runtime::Cuda {
protected:
    void SetUp() override {
        Cuda::SetUp();
        fake.free_bytes = std::size_t{1} << 26;
    }

    OwnWisdom wisdom_;
};

std::optional<GpuGemmSchedule> lookup(const MatrixProduct& of, const runtime::GpuDevice& device,
                                      const Options& options = {}) {
    const auto known = stored_schedules(of, GpuTarget(device), options).lookup();
    return known && known->is_trusted() ? std::optional(known->schedule.gpu_gemm()) : std::nullopt;
}

void store(const runtime::GpuDevice& device, const GpuGemmSchedule& schedule, const Options& options = {}) {
    stored_schedules(product, GpuTarget(device), options)
        .store({device.target().name, schedule}, 1e-3, FoundBy::measure);
}

/// Estimates time nothing.
GpuGemmSchedule chosen(const runtime::GpuDevice& device, Options options = {}) {
    if (options.effort == Effort::estimate) options.time_budget_seconds = 0;
    return choose_schedule(product, GpuTarget(device), options).gpu_gemm();
}

TEST_F(GpuSchedulesInWisdom, AreKeptAndTaken) {
    const runtime::GpuDevice device(0, driver());
    const Options reordering{.reorder_sass = true};
    EXPECT_FALSE(lookup(product, device));
    EXPECT_EQ(chosen(device), gemm::gpu_schedules(product, device.target(), 1).front());
    EXPECT_TRUE(fake.compiled.empty());
    SimtGemm in_machine_code = std::get<SimtGemm>(gemm::gpu_schedules(product, device.target(), 1).front());
    ++in_machine_code.stages;
    const GpuGemmSchedule other = in_machine_code;
    store(device, other);
    EXPECT_EQ(lookup(product, device), other);
    EXPECT_EQ(chosen(device), other);
    EXPECT_EQ(chosen(device, {.effort = Effort::measure}), other) << "it is known already";
    EXPECT_NE(chosen(device, {.use_wisdom = false}), other);
    std::get<gemm::Fma>(in_machine_code.math).reorder_sass = true;
    EXPECT_FALSE(lookup(product, device, reordering)) << "that is another question";
    store(device, in_machine_code, reordering);
    EXPECT_EQ(lookup(product, device, reordering), GpuGemmSchedule(in_machine_code));
    EXPECT_EQ(lookup(product, device), other);
    EXPECT_EQ(chosen(device, reordering), GpuGemmSchedule(in_machine_code));
    store(device, in_machine_code);
    EXPECT_FALSE(lookup(product, device)) << "nobody has allowed it";
    const MatrixProduct wider = MatrixProduct::column_major(DataType::float32, 512, 513, 256);
    EXPECT_FALSE(lookup(wider, device));
}

TEST_F(GpuSchedulesInWisdom, AreForgottenWhereTheyDoNotSuit) {
    const runtime::GpuDevice device(0, driver());
    SimtGemm wrong;
    wrong.cta_tile.m = 1024;
    store(device, wrong);
    EXPECT_FALSE(lookup(product, device));
    EXPECT_TRUE(Wisdom(Wisdom::default_file()).entries().empty());
}

TEST_F(GpuSchedulesInWisdom, AreErasedIfTooInaccurate) {
    const runtime::GpuDevice device(0, driver());
    const GpuGemmSchedule rough = gemm::gpu_schedules(product, device.target(), 1, Accuracy::low).front();
    ASSERT_GT(gemm::accuracy_of(rough, product), Accuracy::ordinary);
    store(device, rough);
    EXPECT_FALSE(lookup(product, device));
    EXPECT_EQ(gemm::accuracy_of(chosen(device), product), Accuracy::ordinary);
    store(device, rough, {.accuracy = Accuracy::low});
    EXPECT_EQ(lookup(product, device, {.accuracy = Accuracy::low}), rough);
}

TEST_F(GpuSchedulesInWisdom, AreMeasuredOnce) {
    const runtime::GpuDevice device(0, driver());
    const GpuGemmSchedule found = chosen(device, {.effort = Effort::measure, .use_kernel_cache = false});
    EXPECT_FALSE(fake.launches.empty());
    EXPECT_EQ(lookup(product, device), found);
}

TEST_F(GpuSchedulesInWisdom, InterleavesTimingsOfBuildableSchedules) {
    const runtime::GpuDevice device(0, driver());
    const std::vector<GpuGemmSchedule> schedules = gemm::gpu_schedules(product, device.target(), 3);
    SimtGemm wrong;
    wrong.cta_tile.m = 1024;
    GpuGemmRuns timer(device, product, false);
    const GpuGemmSchedule all[] = {schedules[0], wrong, schedules[1]};
    const std::vector<double> seconds = timer.seconds(all);
    ASSERT_EQ(seconds.size(), 3U);
    EXPECT_TRUE(std::isfinite(seconds[0]) && std::isfinite(seconds[2]));
    EXPECT_TRUE(std::isinf(seconds[1]));
    const std::size_t compiled = fake.compiled.size();
    timer.seconds(std::span(all).first(1));
    EXPECT_EQ(fake.compiled.size(), compiled) << "what was built before is taken";
}

TEST(GpuGemmOfAKind, IsChosenAndExplainedByThePlanner) {
    Options options;
    options.use_wisdom = false;
    const Choice chosen = explained_choice(product, GpuTarget(gpu()), options);
    EXPECT_EQ(chosen.schedule.gpu_gemm(), model_of());
    EXPECT_EQ(chosen.schedule, choose_schedule(product, GpuTarget(gpu()), options));
    EXPECT_DOUBLE_EQ(chosen.estimated_seconds, gemm::gpu_seconds(product, model_of(), gpu()));
    EXPECT_FALSE(chosen.rejections.empty());

    options.schedule =
        to_string(planning::Schedule(gpu().name, gemm::gpu_schedules(product, gpu(), 2).back()));
    const Choice given = explained_choice(product, GpuTarget(gpu()), options);
    EXPECT_EQ(to_string(given.schedule), options.schedule);
    EXPECT_GE(given.estimated_seconds, chosen.estimated_seconds);
    options.schedule = "sm_80: simt";
    EXPECT_THROW(explained_choice(product, GpuTarget(gpu()), options), UserError) << "for another target";
    options.schedule = "sm_90: simt cta_m=1024 cta_n=1024";
    EXPECT_THROW(explained_choice(product, GpuTarget(gpu()), options), UserError) << "infeasible";
}

} // namespace gpu_matrix_search_test
} // namespace swirl::search
