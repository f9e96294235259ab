#include "search/gpu_matrix_search.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "sass/fixture.hpp"
#include "search/timer/gpu_matrix_timer.hpp"
#include "search/wisdom/gpu_matrix_wisdom.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

/// Knows how long each schedule takes. A schedule costs a second.
class KnownTimes final : public GpuGemmTimer {
public:
    explicit KnownTimes(std::function<double(const GpuGemmSchedule&)> time, const MatrixProduct& of = product)
        : time_(std::move(time)), product_(of) {}

    double now() override { return now_; }
    std::vector<CompiledGemm> compile(std::span<const GpuGemmSchedule> schedules) override {
        std::vector<CompiledGemm> result;
        for (const GpuGemmSchedule& schedule : schedules) result.push_back(code(schedule));
        return result;
    }
    std::vector<double> seconds(std::span<const GpuGemmSchedule> schedules) override {
        std::vector<double> result;
        for (const GpuGemmSchedule& schedule : schedules) {
            EXPECT_NO_THROW(gemm::validate(schedule, product_, gpu()));
            result.push_back(time_(schedule));
            timed.push_back(schedule);
            now_ += 1;
        }
        return result;
    }

    /// What machine code says; nothing unless it is replaced.
    std::function<CompiledGemm(const GpuGemmSchedule&)> code = [](const GpuGemmSchedule&) {
        return CompiledGemm();
    };
    std::vector<GpuGemmSchedule> timed; ///< in their order

private:
    std::function<double(const GpuGemmSchedule&)> time_;
    MatrixProduct product_;
    double now_ = 0;
};

int stages_of(const GpuGemmSchedule& schedule) {
    return std::visit([](const auto& kernel) { return kernel.stages; }, schedule);
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
    KnownTimes known(known_time);
    std::vector<std::string> lines;
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = product,
                             .gpu = gpu(),
                             .seconds = 1e6,
                             .most = 5,
                             .progress = [&](const std::string& line) { lines.push_back(line); }},
                            known);
    EXPECT_EQ(search_result.model, gemm::gpu_schedules(product, gpu(), 1).front());
    const SimtGemm& found = std::get<SimtGemm>(search_result.found);
    EXPECT_EQ(found.stages, 6);
    EXPECT_EQ(found.raster_group, 2);
    EXPECT_EQ(std::get<gemm::Fma>(found.math).order, gemm::FmaOrder::rows);
    EXPECT_EQ(search_result.seconds, 1);
    EXPECT_GT(search_result.speedup, 1);
    EXPECT_TRUE(search_result.is_complete);
    EXPECT_GE(lines.size(), 4U);
}

TEST(SearchForGpuSchedules, KeepsTheModelsWhereNothingIsClearlyFaster) {
    KnownTimes known([](const GpuGemmSchedule& schedule) { return 1 - 1e-4 * stages_of(schedule); });
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5}, known);
    EXPECT_EQ(search_result.found, search_result.model);
    EXPECT_EQ(search_result.speedup, 1);
}

TEST(SearchForGpuSchedules, TriesStreamsOfAsManyBlocksAsThereIsRoomFor) {
    const MatrixProduct large = MatrixProduct::column_major(DataType::float64, 3000, 3000, 3000);
    int streams = 0;
    KnownTimes known(
        [&](const GpuGemmSchedule& schedule) {
            const StreamK* const stream_k = stream_k_of(schedule);
            if (stream_k == nullptr) return 1.0;
            EXPECT_EQ(stream_k->blocks % gpu().multiprocessors, 0);
            ++streams;
            return 0.5;
        },
        large);
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = large, .gpu = gpu(), .seconds = 1e6, .most = 1}, known);
    EXPECT_NE(stream_k_of(search_result.found), nullptr);
    EXPECT_GE(streams, 2);
}

TEST(SearchForGpuSchedules, EndsWithTheTime) {
    KnownTimes known(known_time);
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 10, .most = 100}, known);
    EXPECT_FALSE(search_result.is_complete);
    EXPECT_LE(known.now(), 10 + 2 + 9);
}

TEST(SearchForGpuSchedules, LeavesOutWhatCannotBeBuilt) {
    KnownTimes known([](const GpuGemmSchedule& schedule) {
        return stages_of(schedule) == 4 ? 1.0 : std::numeric_limits<double>::infinity();
    });
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5}, known);
    EXPECT_EQ(stages_of(search_result.found), 4);
}

TEST(SearchForGpuSchedules, TriesMainLoopsInMachineCodeWhereTheyAreAllowed) {
    const auto time = [](const GpuGemmSchedule& schedule) { return reorders_sass(schedule) ? 0.9 : 1.0; };
    for (const bool is_allowed : {false, true}) {
        KnownTimes known(time);
        const GpuGemmSearchResult search_result = search_gpu_schedule(
            {.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5, .reorder_sass = is_allowed}, known);
        EXPECT_EQ(reorders_sass(search_result.found), is_allowed);
        EXPECT_FALSE(reorders_sass(search_result.model));
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
    EXPECT_NEAR(peak, 132 * 4 * 32 * 2 * gemm::gpu_rates(gpu()).hertz, 1e-3 * peak);
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

TEST(SearchForGpuSchedules, LeavesOutWhatMachineCodeSaysIsSlow) {
    KnownTimes known(known_time);
    std::vector<std::string> lines;
    known.code = [](const GpuGemmSchedule& schedule) {
        if (stages_of(schedule) == 6) return code_of(100, 50);
        return std::get<SimtGemm>(schedule).raster_group == 2 ? code_of(1'000'000'000) : code_of(100);
    };
    const GpuGemmSearchResult search_result =
        search_gpu_schedule({.product = product,
                             .gpu = gpu(),
                             .seconds = 1e6,
                             .most = 5,
                             .progress = [&](const std::string& line) { lines.push_back(line); }},
                            known);
    for (const GpuGemmSchedule& schedule : known.timed)
        if (schedule != search_result.model) {
            EXPECT_NE(stages_of(schedule), 6);
            EXPECT_NE(std::get<SimtGemm>(schedule).raster_group, 2);
        }
    EXPECT_GE(search_result.left_out, 2);
    const auto says = [&](const std::string& words) {
        return std::ranges::any_of(lines, [&](const std::string& line) { return line.starts_with(words); });
    };
    EXPECT_TRUE(says("left out: 50 loads and stores of spilled registers in the main loop, simt cta_m="));
    EXPECT_TRUE(says("left out: its main loop alone takes"));
}

TEST(SearchForGpuSchedules, TimesInTheOrderOfWhatCodeLetsExpect) {
    const std::vector<GpuGemmSchedule> likely = gemm::gpu_schedules(product, gpu(), 5);
    ASSERT_EQ(likely.size(), 5U);
    KnownTimes known([](const GpuGemmSchedule&) { return 1.0; });
    known.code = [&](const GpuGemmSchedule& schedule) {
        const auto place = std::find(likely.begin(), likely.end(), schedule) - likely.begin();
        return code_of(1'000'000 * (10 - place));
    };
    search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5}, known);
    const std::vector<GpuGemmSchedule> expected = {likely[0], likely[0], likely[4],
                                                   likely[3], likely[2], likely[1]};
    EXPECT_EQ((std::vector<GpuGemmSchedule>(known.timed.begin(), known.timed.begin() + 6)), expected);
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
        if (const char* const known = std::getenv("SWIRL_WISDOM")) before_ = known;
        setenv("SWIRL_WISDOM", (folder_.path() / "wisdom.sqlite").c_str(), 1);
    }
    void TearDown() override {
        if (before_)
            setenv("SWIRL_WISDOM", before_->c_str(), 1);
        else
            unsetenv("SWIRL_WISDOM");
        Cuda::TearDown();
    }

    TemporaryFolder folder_;
    std::optional<std::string> before_;
};

TEST_F(GpuSchedulesInWisdom, AreKeptAndTaken) {
    const runtime::GpuDevice device(0, driver());
    EXPECT_FALSE(lookup_gpu_schedule(product, device));
    EXPECT_EQ(choose_gpu_schedule(product, device), gemm::gpu_schedules(product, device.target(), 1).front());
    EXPECT_TRUE(fake.compiled.empty());
    SimtGemm in_machine_code = std::get<SimtGemm>(gemm::gpu_schedules(product, device.target(), 1).front());
    in_machine_code.stages = 3;
    const GpuGemmSchedule other = in_machine_code;
    store_gpu_schedule(product, device, other, 1e-3);
    EXPECT_EQ(lookup_gpu_schedule(product, device), other);
    EXPECT_EQ(choose_gpu_schedule(product, device), other);
    EXPECT_EQ(choose_gpu_schedule(product, device, {.measures = true}), other) << "it is known already";
    EXPECT_NE(choose_gpu_schedule(product, device, {.use_wisdom = false}), other);
    std::get<gemm::Fma>(in_machine_code.math).reorder_sass = true;
    const Accuracy ordinary = Accuracy::ordinary;
    EXPECT_FALSE(lookup_gpu_schedule(product, device, ordinary, true)) << "that is another question";
    store_gpu_schedule(product, device, in_machine_code, 1e-3, ordinary, true);
    EXPECT_EQ(lookup_gpu_schedule(product, device, ordinary, true), GpuGemmSchedule(in_machine_code));
    EXPECT_EQ(lookup_gpu_schedule(product, device), other);
    EXPECT_EQ(choose_gpu_schedule(product, device, {.reorder_sass = true}), GpuGemmSchedule(in_machine_code));
    store_gpu_schedule(product, device, in_machine_code, 1e-3);
    EXPECT_FALSE(lookup_gpu_schedule(product, device)) << "nobody has allowed it";
    const MatrixProduct wider = MatrixProduct::column_major(DataType::float32, 512, 513, 256);
    EXPECT_FALSE(lookup_gpu_schedule(wider, device));
}

TEST_F(GpuSchedulesInWisdom, AreForgottenWhereTheyDoNotSuit) {
    const runtime::GpuDevice device(0, driver());
    SimtGemm wrong;
    wrong.cta_tile.m = 1024;
    store_gpu_schedule(product, device, wrong, 1e-3);
    EXPECT_FALSE(lookup_gpu_schedule(product, device));
}

TEST_F(GpuSchedulesInWisdom, AreForgottenWhereTheyAreNotAsAccurateAsAskedFor) {
    const runtime::GpuDevice device(0, driver());
    const GpuGemmSchedule rough = gemm::gpu_schedules(product, device.target(), 1, Accuracy::low).front();
    ASSERT_GT(gemm::accuracy_of(rough, product), Accuracy::ordinary);
    store_gpu_schedule(product, device, rough, 1e-9);
    EXPECT_FALSE(lookup_gpu_schedule(product, device));
    EXPECT_EQ(gemm::accuracy_of(choose_gpu_schedule(product, device), product), Accuracy::ordinary);
    store_gpu_schedule(product, device, rough, 1e-9, Accuracy::low);
    EXPECT_EQ(lookup_gpu_schedule(product, device, Accuracy::low), rough);
}

TEST_F(GpuSchedulesInWisdom, AreMeasuredOnce) {
    const runtime::GpuDevice device(0, driver());
    const GpuGemmSchedule found =
        choose_gpu_schedule(product, device, {.measures = true, .seconds = 0, .most = 4, .use_cache = false});
    EXPECT_FALSE(fake.launches.empty());
    EXPECT_EQ(lookup_gpu_schedule(product, device), found);
}

TEST_F(GpuSchedulesInWisdom, TimesInTurnWhatCanBeBuilt) {
    const runtime::GpuDevice device(0, driver());
    const std::vector<GpuGemmSchedule> schedules = gemm::gpu_schedules(product, device.target(), 3);
    SimtGemm wrong;
    wrong.cta_tile.m = 1024;
    DeviceGemmTimer timer(device, product, false);
    const GpuGemmSchedule all[] = {schedules[0], wrong, schedules[1]};
    const std::vector<double> seconds = timer.seconds(all);
    ASSERT_EQ(seconds.size(), 3U);
    EXPECT_TRUE(std::isfinite(seconds[0]) && std::isfinite(seconds[2]));
    EXPECT_TRUE(std::isinf(seconds[1]));
    const std::size_t compiled = fake.compiled.size();
    timer.seconds(std::span(all).first(1));
    EXPECT_EQ(fake.compiled.size(), compiled) << "what was built before is taken";
}

} // namespace gpu_matrix_search_test
} // namespace swirl::search
