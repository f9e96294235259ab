#include "search/gpu_matrix_search.hpp"

#include "gemm/gpu_model.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "search/gpu_matrix_timekeeper.hpp"
#include "search/gpu_matrix_wisdom.hpp"
#include "support/cuda_fixture.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace swirl::search {
namespace {

using gemm::GpuSchedule;

const MatrixProduct product = MatrixProduct::column_major(Number::float32, 512, 512, 256);
const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// Knows how long each schedule takes. A schedule costs a second.
class KnownTimes final : public GpuMatrixTimekeeper {
public:
    explicit KnownTimes(std::function<double(const GpuSchedule&)> time, const MatrixProduct& of = product)
        : time_(std::move(time)), product_(of) {}

    double now() override { return now_; }
    std::vector<double> seconds(std::span<const GpuSchedule> schedules) override {
        std::vector<double> result;
        for (const GpuSchedule& schedule : schedules) {
            EXPECT_NO_THROW(gemm::validate(schedule, product_, gpu()));
            result.push_back(time_(schedule));
            now_ += 1;
        }
        return result;
    }

private:
    std::function<double(const GpuSchedule&)> time_;
    MatrixProduct product_;
    double now_ = 0;
};

/// The nearer to 6 stages and groups of 2 the faster; by rows is fastest.
double known_time(const GpuSchedule& schedule) {
    const double order = schedule.order == gemm::GpuOrder::rows ? 0 : 0.1;
    return 1 + 0.1 * std::abs(schedule.stages - 6) + 0.1 * std::abs(std::log2(schedule.group) - 1) + order;
}

TEST(SearchForGpuSchedules, FindsTheFastestAlongEachParameter) {
    KnownTimes known(known_time);
    std::vector<std::string> lines;
    const GpuMatrixFinding finding =
        search_gpu_schedule({.product = product,
                             .gpu = gpu(),
                             .seconds = 1e6,
                             .most = 5,
                             .progress = [&](const std::string& line) { lines.push_back(line); }},
                            known);
    EXPECT_EQ(finding.model, gemm::gpu_schedules(product, gpu(), 1).front());
    EXPECT_EQ(finding.found.stages, 6);
    EXPECT_EQ(finding.found.group, 2);
    EXPECT_EQ(finding.found.order, gemm::GpuOrder::rows);
    EXPECT_EQ(finding.seconds, 1);
    EXPECT_GT(finding.speedup, 1);
    EXPECT_TRUE(finding.is_complete);
    EXPECT_GE(lines.size(), 4U);
}

TEST(SearchForGpuSchedules, KeepsTheModelsWhereNothingIsClearlyFaster) {
    KnownTimes known([](const GpuSchedule& schedule) { return 1 - 1e-4 * schedule.stages; });
    const GpuMatrixFinding finding =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5}, known);
    EXPECT_EQ(finding.found, finding.model);
    EXPECT_EQ(finding.speedup, 1);
}

TEST(SearchForGpuSchedules, TriesStreamsOfAsManyBlocksAsThereIsRoomFor) {
    const MatrixProduct large = MatrixProduct::column_major(Number::float64, 3000, 3000, 3000);
    int streams = 0;
    KnownTimes known(
        [&](const GpuSchedule& schedule) {
            EXPECT_EQ(schedule.stream_blocks % gpu().multiprocessors, 0);
            streams += schedule.streams() ? 1 : 0;
            return schedule.streams() ? 0.5 : 1.0;
        },
        large);
    const GpuMatrixFinding finding =
        search_gpu_schedule({.product = large, .gpu = gpu(), .seconds = 1e6, .most = 1}, known);
    EXPECT_TRUE(finding.found.streams());
    EXPECT_GE(streams, 2);
}

TEST(SearchForGpuSchedules, EndsWithTheTime) {
    KnownTimes known(known_time);
    const GpuMatrixFinding finding =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 10, .most = 100}, known);
    EXPECT_FALSE(finding.is_complete);
    EXPECT_LE(known.now(), 10 + 2 + 9);
}

TEST(SearchForGpuSchedules, LeavesOutWhatCannotBeBuilt) {
    KnownTimes known([](const GpuSchedule& schedule) {
        return schedule.stages == 4 ? 1.0 : std::numeric_limits<double>::infinity();
    });
    const GpuMatrixFinding finding =
        search_gpu_schedule({.product = product, .gpu = gpu(), .seconds = 1e6, .most = 5}, known);
    EXPECT_EQ(finding.found.stages, 4);
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
    EXPECT_FALSE(remembered_gpu_schedule(product, device));
    EXPECT_EQ(choose_gpu_schedule(product, device), gemm::gpu_schedules(product, device.target(), 1).front());
    EXPECT_TRUE(fake.compiled.empty());
    GpuSchedule other = gemm::gpu_schedules(product, device.target(), 1).front();
    other.stages = 3;
    remember_gpu_schedule(product, device, other, 1e-3);
    EXPECT_EQ(remembered_gpu_schedule(product, device), other);
    EXPECT_EQ(choose_gpu_schedule(product, device), other);
    EXPECT_EQ(choose_gpu_schedule(product, device, {.measures = true}), other) << "it is known already";
    EXPECT_NE(choose_gpu_schedule(product, device, {.use_wisdom = false}), other);
    const MatrixProduct wider = MatrixProduct::column_major(Number::float32, 512, 513, 256);
    EXPECT_FALSE(remembered_gpu_schedule(wider, device));
}

TEST_F(GpuSchedulesInWisdom, AreForgottenWhereTheyDoNotSuit) {
    const runtime::GpuDevice device(0, driver());
    GpuSchedule wrong;
    wrong.block_rows = 1024;
    remember_gpu_schedule(product, device, wrong, 1e-3);
    EXPECT_FALSE(remembered_gpu_schedule(product, device));
}

TEST_F(GpuSchedulesInWisdom, AreMeasuredOnce) {
    const runtime::GpuDevice device(0, driver());
    const GpuSchedule found =
        choose_gpu_schedule(product, device, {.measures = true, .seconds = 0, .most = 4, .use_cache = false});
    EXPECT_FALSE(fake.launches.empty());
    EXPECT_EQ(remembered_gpu_schedule(product, device), found);
}

TEST_F(GpuSchedulesInWisdom, TimesInTurnWhatCanBeBuilt) {
    const runtime::GpuDevice device(0, driver());
    const std::vector<GpuSchedule> schedules = gemm::gpu_schedules(product, device.target(), 3);
    GpuSchedule wrong;
    wrong.block_rows = 1024;
    DeviceMatrixTimekeeper timekeeper(device, product, false);
    const GpuSchedule all[] = {schedules[0], wrong, schedules[1]};
    const std::vector<double> seconds = timekeeper.seconds(all);
    ASSERT_EQ(seconds.size(), 3U);
    EXPECT_TRUE(std::isfinite(seconds[0]) && std::isfinite(seconds[2]));
    EXPECT_TRUE(std::isinf(seconds[1]));
    const std::size_t compiled = fake.compiled.size();
    timekeeper.seconds(std::span(all).first(1));
    EXPECT_EQ(fake.compiled.size(), compiled) << "what was built before is taken";
}

} // namespace
} // namespace swirl::search
