#include "runtime/timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace swirl::runtime {
namespace timer_test {

TEST(MonotonicClock, NeverGoesBack) {
    double before = monotonic_seconds();
    for (int i = 0; i < 1000; ++i) {
        const double now = monotonic_seconds();
        EXPECT_GE(now, before);
        before = now;
    }
    EXPECT_GE(clock_overhead(), 0);
    EXPECT_LT(clock_overhead(), 1e-3);
}

TEST(Summary, GivesMedianMinimumAndQuartileDistance) {
    const double times[] = {5, 1, 4, 2, 3};
    const Measurement m = summarize(times);
    EXPECT_EQ(m.minimum, 1);
    EXPECT_EQ(m.median, 3);
    EXPECT_DOUBLE_EQ(m.spread, (4.0 - 2.0) / 3.0);
    EXPECT_EQ(m.samples, 5);
    EXPECT_DOUBLE_EQ(uncertainty(m), 1.57 * m.spread / std::sqrt(5.0));
}

TEST(Summary, MedianOfEvenCountsIsInterpolated) {
    const double times[] = {1, 2, 3, 10};
    EXPECT_DOUBLE_EQ(summarize(times).median, 2.5);
}

TEST(Summary, OneOutlierMovesNeitherMedianNorMinimum) {
    const double times[] = {2, 2, 2, 2, 900};
    const Measurement m = summarize(times);
    EXPECT_EQ(m.median, 2);
    EXPECT_EQ(m.minimum, 2);
    EXPECT_EQ(m.spread, 0);
}

TEST(TimeOnce, OfTheThreadsClockDoesNotCountWhatOthersRun) {
    constexpr double asleep = 0.05;
    TimedWork work;
    work.run = [&] { std::this_thread::sleep_for(std::chrono::duration<double>(asleep)); };
    EXPECT_GE(time_once(work, 1, Clock::wall), asleep / 2);
    EXPECT_LT(time_once(work, 1, Clock::thread), asleep / 2);
}

TEST(TimeOnce, RestoresTheDataAfterAsManyApplicationsAsAsked) {
    int applied = 0;
    int since_restore = 0;
    int most = 0;
    TimedWork work;
    work.run = [&] {
        ++applied;
        most = std::max(most, ++since_restore);
    };
    work.restore = [&] { since_restore = 0; };
    work.restore_every = 7;
    time_once(work, 40);
    EXPECT_EQ(applied, 40);
    EXPECT_EQ(most, 7);
    EXPECT_EQ(since_restore, 0);
}

TEST(Measure, CountsEveryTimedApplicationAndStaysWithinItsSamples) {
    Integer applied = 0;
    TimedWork work;
    work.run = [&] { ++applied; };
    TimingOptions options;
    options.warm_up = 1e-4;
    options.shortest_sample = 1e-5;
    options.budget = 0.02;
    options.max_samples = 50;
    const Measurement m = measure(work, options);
    EXPECT_GE(m.samples, options.min_samples);
    EXPECT_LE(m.samples, options.max_samples);
    EXPECT_GT(m.repetitions, 0);
    EXPECT_GT(applied, m.repetitions); // the warm-up is not counted
    EXPECT_LE(m.minimum, m.median);
}

TEST(InPlaceGrowth, StaysInRangeForTheApplicationsItAllows) {
    for (const double growth : {1.5, 8.0, 32.0, 1024.0})
        for (const int exponent : {127, 1023}) {
            const Integer times = applications_before_overflow(growth, exponent);
            ASSERT_GE(times, 1);
            EXPECT_LT(static_cast<double>(times) * std::log2(growth), exponent) << growth;
            EXPECT_GT(static_cast<double>(times + 1) * std::log2(growth), exponent / 2.0) << growth;
        }
    EXPECT_EQ(applications_before_overflow(1.0, 127), 0);
    EXPECT_EQ(applications_before_overflow(0.5, 127), 0);
}

TEST(FlushDenormals, TakesDenormalsAsZeroOnlyWhileAlive) {
    volatile double tiny = std::numeric_limits<double>::min();
    volatile double half = 0.5;
    EXPECT_NE(tiny * half, 0.0);
    if (FlushDenormals::is_supported()) {
        FlushDenormals scope;
        const volatile double product = tiny * half;
        EXPECT_TRUE(product == 0.0);
    }
    EXPECT_NE(tiny * half, 0.0);
}

} // namespace timer_test
} // namespace swirl::runtime
