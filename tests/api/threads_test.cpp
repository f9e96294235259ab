#include <swirl/swirl.h>

#include <swirl/swirl.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <thread>
#include <vector>

namespace threads_test {

struct Calls {
    std::atomic<int> loops = 0, jobs = 0;
};

void on_threads(void* (*work)(char*), char* jobs, std::size_t bytes, int count, void* data) {
    Calls& calls = *static_cast<Calls*>(data);
    ++calls.loops;
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k)
        threads.emplace_back([=, &calls] {
            work(jobs + static_cast<std::size_t>(k) * bytes);
            ++calls.jobs;
        });
    for (std::thread& thread : threads) thread.join();
}

std::vector<std::complex<double>> values(std::size_t count) {
    std::vector<std::complex<double>> result(count);
    for (std::size_t k = 0; k < count; ++k)
        result[k] = {static_cast<double>(k * 7919 % 101), static_cast<double>(k * 104729 % 97)};
    return result;
}

TEST(ParallelLoop, OfTheProgramRunsExecutions) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor: teams have one member";
    const auto x = values(1 << 18);
    std::vector<std::complex<double>> own(x.size()), by_loop(x.size());
    const swirl::Plan plan = swirl::plan("dft 2^18", {.threads = 2, .use_wisdom = false});
    plan.execute(x, own);
    Calls calls;
    swirl::set_parallel_loop(on_threads, &calls);
    // after calls that waited for busy processors, executions stay on one thread for a while
    for (int k = 0; k < 1000 && calls.loops == 0; ++k) plan.execute(x, by_loop);
    EXPECT_GT(calls.loops, 0);
    EXPECT_EQ(calls.jobs, 2 * calls.loops);
    EXPECT_EQ(own, by_loop);

    swirl_set_parallel_loop(nullptr, nullptr);
    const int before = calls.loops;
    plan.execute(x, by_loop);
    EXPECT_EQ(calls.loops, before) << "swirl's own threads again";
    EXPECT_EQ(own, by_loop);
}

} // namespace threads_test
