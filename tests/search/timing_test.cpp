#include "search/timer/cpu/timing.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace swirl::search {
namespace timing_test {

TEST(InterleavedTiming, TakesASampleOfEachInEveryRound) {
    std::vector<Integer> applied(3);
    std::vector<TimedWork> candidates;
    for (Integer& count : applied) candidates.push_back({.run = [&count] { ++count; }, .restore = {}});
    TimingOptions options;
    options.warm_up = 1e-4;
    options.shortest_sample = 1e-5;
    options.budget = 0.01;
    const std::vector<Measurement> results = measure_interleaved(candidates, options);
    ASSERT_EQ(results.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(results[i].samples, results[0].samples);
        EXPECT_GE(results[i].samples, options.min_samples);
        EXPECT_LE(results[i].minimum, results[i].median);
        EXPECT_GT(applied[i], results[i].repetitions);
    }
}

TEST(InterleavedTiming, RotatesCandidatesByRound) {
    std::string order;
    const auto work = [&](char name) {
        return TimedWork{.run = [&order, name] { order += name; }, .restore = {}};
    };
    const std::vector<TimedWork> candidates = {work('a'), work('b'), work('c')};
    TimingOptions options;
    options.warm_up = 0;
    options.shortest_sample = 0; // one application a sample
    options.min_samples = 3;
    options.max_samples = 3;
    measure_interleaved(candidates, options);
    ASSERT_GE(order.size(), 9U);
    EXPECT_EQ(order.substr(order.size() - 9), "abcbcacab");
}

TEST(InterleavedTiming, EndsWithASampleOfEachOnceThereIsEnough) {
    int runs = 0;
    const std::vector<TimedWork> works(3, TimedWork{.run = [&] { ++runs; }, .restore = {}});
    const auto results = measure_interleaved(works, {.budget = 100}, {}, [] { return true; });
    ASSERT_EQ(results.size(), 3U);
    for (const Measurement& one : results) EXPECT_EQ(one.samples, 1);
    EXPECT_GT(runs, 0);
}

TEST(InterleavedTiming, OfNothingIsNothing) { EXPECT_TRUE(measure_interleaved({}).empty()); }

TEST(PseudoFlops, FollowTheConventions) {
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("dft 1024")), 5 * 1024 * 10);
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("rdft 1024")), 2.5 * 1024 * 10);
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("dct2 8")), 2.5 * 8 * 3);
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("wht 8")), 8 * 3);
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("dft 16x8 batch=3")), 3 * 5 * 128 * 7);
    EXPECT_DOUBLE_EQ(pseudo_flops(problem("dft 1")), 0);
}

TEST(CompulsoryBytes, CountEveryElementOfBothSidesOnce) {
    EXPECT_EQ(compulsory_bytes(problem("dft 1024")), 2 * 1024 * 16);
    EXPECT_EQ(compulsory_bytes(problem("dft 1024 float32 batch=2")), 2 * 2 * 1024 * 8);
    EXPECT_EQ(compulsory_bytes(problem("rdft 10")), 10 * 8 + 6 * 16);
    EXPECT_EQ(compulsory_bytes(problem("rdft 3x9")), 3 * 9 * 8 + 3 * 5 * 16);
    EXPECT_EQ(compulsory_bytes(problem("dct2 8")), 2 * 8 * 8);
}

TEST(Floors, DivideByTheSpeedsOfTheProbe) {
    HostProbe probe;
    probe.flops_float64 = 100e9;
    probe.flops_float32 = 200e9;
    probe.bandwidth = {{"L1", 24576, 0, 0, 320e9}, {"memory", 1 << 27, 0, 0, 10e9}};
    const Floors small = floors(problem("dft 1024"), 50000, probe);
    EXPECT_DOUBLE_EQ(small.arithmetic, 50000 / 100e9);
    EXPECT_DOUBLE_EQ(small.traffic, 32768 / 320e9);
    EXPECT_EQ(small.level, "L1");
    EXPECT_DOUBLE_EQ(small.arithmetic_percent(1e-6), 50);
    EXPECT_DOUBLE_EQ(small.traffic_percent(1e-6), 10.24);
    EXPECT_DOUBLE_EQ(small.larger(), small.arithmetic);
    EXPECT_DOUBLE_EQ(floors(problem("dft 1024 float32"), 50000, probe).arithmetic, 50000 / 200e9);
    EXPECT_EQ(floors(problem("dft 2048"), 1, probe).level, "memory") << "input and output together";
    EXPECT_EQ(floors(problem("dft 2048 inplace"), 1, probe).level, "L1") << "are one in place";
}

} // namespace timing_test
} // namespace swirl::search
