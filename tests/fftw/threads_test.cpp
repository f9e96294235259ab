#include "fftw/library.hpp"
#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace swirl::test {
namespace threads_test {

std::vector<double> numbers(std::size_t count) {
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<double>(i * 7919 % 101) - 50;
    return result;
}
fftw_complex* pairs(std::vector<double>& numbers) { return reinterpret_cast<fftw_complex*>(numbers.data()); }

fftw_plan planned(std::vector<double>& x, std::vector<double>& y) {
    return SWIRL_CALL(double, plan_dft_1d)(static_cast<int>(x.size() / 2), pairs(x), pairs(y), FFTW_FORWARD,
                                           FFTW_ESTIMATE);
}

/// Of a fresh plan.
std::vector<double> transformed(std::vector<double> x) {
    std::vector<double> y(x.size());
    const fftw_plan plan = planned(x, y);
    SWIRL_CALL(double, execute)(plan);
    SWIRL_CALL(double, destroy_plan)(plan);
    return y;
}

/// Which has no threads.
bool runs_portable_code() {
    std::vector<double> x(16), y(16);
    const fftw_plan plan = planned(x, y);
    char* const text = SWIRL_CALL(double, sprint_plan)(plan);
    const bool is_portable = std::strstr(text, "portable") != nullptr;
    std::free(text);
    SWIRL_CALL(double, destroy_plan)(plan);
    return is_portable;
}

std::atomic<int> loops_run = 0;
void count_and_run(void* (*work)(char*), char* jobs, std::size_t bytes, int count, void* data) {
    ++*static_cast<std::atomic<int>*>(data);
    std::vector<std::thread> threads;
    for (int k = 0; k < count; ++k)
        threads.emplace_back([=] { work(jobs + static_cast<std::size_t>(k) * bytes); });
    for (std::thread& thread : threads) thread.join();
}

TEST(FftwThreads, ThePlannerRemembersTheirNumber) {
    EXPECT_NE(SWIRL_CALL(double, init_threads)(), 0);
    EXPECT_EQ(SWIRL_CALL(double, planner_nthreads)(), 1);
    SWIRL_CALL(double, plan_with_nthreads)(3);
    EXPECT_EQ(SWIRL_CALL(double, planner_nthreads)(), 3);
    SWIRL_CALL(double, plan_with_nthreads)(-1);
    EXPECT_EQ(SWIRL_CALL(double, planner_nthreads)(), 1);
    SWIRL_CALL(double, plan_with_nthreads)(2);
    SWIRL_CALL(double, cleanup_threads)();
    EXPECT_EQ(SWIRL_CALL(double, planner_nthreads)(), 1);
}

TEST(FftwThreads, TheProgramsLoopRunsThem) {
    const std::vector<double> x = numbers(1 << 18);
    const std::vector<double> expected = transformed(x);
    SWIRL_CALL(double, plan_with_nthreads)(2);
    SWIRL_CALL(double, threads_set_callback)(count_and_run, &loops_run);
    EXPECT_EQ(transformed(x), expected);
    SWIRL_CALL(double, threads_set_callback)(nullptr, nullptr);
    SWIRL_CALL(double, plan_with_nthreads)(1);
    EXPECT_TRUE(loops_run > 0 || runs_portable_code());
}

TEST(FftwThreads, AnyNumberOfThemPlanAndExecuteAtOnce) {
    SWIRL_CALL(double, make_planner_thread_safe)();
    std::vector<std::vector<double>> expected;
    for (std::size_t n = 0; n < 40; ++n) expected.push_back(transformed(numbers(2 * (n + 1))));
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t k = 0; k < 40; ++k) {
                const std::size_t n = t % 2 == 0 ? k : 39 - k;
                if (transformed(numbers(2 * (n + 1))) != expected[n]) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(FftwThreads, ForkedProcessesPlanAndExecute) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    SWIRL_CALL(double, plan_with_nthreads)(2);
    const std::vector<double> x = numbers(1 << 18), expected = transformed(x);
    EXPECT_TRUE(is_true_in_a_child([&] { return transformed(x) == expected; }));
    EXPECT_TRUE(is_true_in_a_child([&] { return transformed(numbers(74)) == transformed(numbers(74)); }));
    SWIRL_CALL(double, plan_with_nthreads)(1);
}

} // namespace threads_test
} // namespace swirl::test
