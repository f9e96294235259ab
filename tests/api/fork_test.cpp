#include <swirl/swirl.hpp>

#include "definition.hpp"
#include "gpu_interface.hpp"
#include "support/forked_child.hpp"
#include "support/pause_at_locks.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

/// A process that forks while its other threads plan: the child plans and computes like any other.
namespace swirl {
namespace fork_test {

constexpr int children = 12;

using Complex = std::complex<double>;

bool transforms_rightly(const Transform& problem, const Options& options) {
    const auto n = static_cast<std::size_t>(problem.dimensions[0].length);
    std::vector<Complex> x(n), y(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = {1.0 / static_cast<double>(k + 1), 0.25};
    plan(problem, options).execute(x.data(), y.data());
    const std::vector<definition::LongComplex> expected =
        definition::dft_of_one(problem, {x.begin(), x.end()});
    for (std::size_t k = 0; k < n; ++k)
        if (!(std::abs(definition::LongComplex(y[k]) - expected[k]) < 1e-9L)) return false;
    return true;
}

Transform dft(int n) { return Transform::make(TransformKind::dft, {n}); }

/// Products of the integers 0 to 4, which are exact.
template <class T> bool multiplies_rightly(Integer m, Integer n, Integer k, int threads) {
    const auto value = [](Integer i) { return T(static_cast<float>(i % 5)); };
    std::vector<T> a, b, c(static_cast<std::size_t>(m * n));
    for (Integer i = 0; i < m * k; ++i) a.push_back(value(i));
    for (Integer i = 0; i < k * n; ++i) b.push_back(value(i * 7));
    plan(MatrixProduct::column_major(data_type_of<T>(), m, n, k), {.threads = threads})
        .execute(T(1), a.data(), b.data(), T(0), c.data());
    for (Integer j = 0; j < n; ++j)
        for (Integer i = 0; i < m; ++i) {
            T sum(0);
            for (Integer l = 0; l < k; ++l)
                sum += a[static_cast<std::size_t>(i + l * m)] * b[static_cast<std::size_t>(l + j * k)];
            if (c[static_cast<std::size_t>(i + j * m)] != sum) return false;
        }
    return true;
}

TEST(Fork, ChildrenTransformWhileOtherThreadsOfTheParentPlan) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    const Busy planning([](int k) { static_cast<void>(plan(dft(2 + k % 600), {.use_wisdom = false})); });
    for (const int threads : {1, 2})
        EXPECT_TRUE(is_true_in_children(children, [&](int k) {
            return transforms_rightly(dft(100 + k), {.threads = threads, .use_wisdom = false}) &&
                   transforms_rightly(dft(7), {.threads = threads, .use_wisdom = false});
        }));
}

TEST(Fork, ChildrenMeasureWhileOtherThreadsOfTheParentDo) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    const TemporaryFolder folder;
    ASSERT_EQ(setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1), 0);
    const Options measured{.effort = Effort::measure, .time_budget_seconds = 0.01};
    {
        const Busy planning([&](int k) { static_cast<void>(plan(dft(8 + k % 200), measured)); });
        EXPECT_TRUE(is_true_in_children(children, [&](int k) {
            return transforms_rightly(dft(8 + k), measured) && transforms_rightly(dft(300 + k), measured);
        }));
    }
    EXPECT_TRUE(transforms_rightly(dft(300), measured));
    unsetenv("SWIRL_WISDOM");
}

TEST(Fork, ChildrenMultiplyWhileOtherThreadsOfTheParentDo) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    const Busy planning([](int k) {
        const Integer n = 8 + k % 120;
        static_cast<void>(multiplies_rightly<float>(n, n + 1, 9, 1));
        static_cast<void>(multiplies_rightly<double>(n, 3, n, 2));
    });
    for (const int threads : {1, 2})
        EXPECT_TRUE(is_true_in_children(children, [&](int k) {
            const Integer n = 20 + 9 * k;
            return multiplies_rightly<float>(n, n, 40, threads) &&
                   multiplies_rightly<double>(5, 5, 5, threads) &&
                   multiplies_rightly<Complex>(n, 4, n, threads);
        }));
}

TEST(Fork, ChildTransformsWhileParentHoldsLocks) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    EXPECT_TRUE(is_true_in_children_at_locks(
        [](int k) { static_cast<void>(plan(dft(602 + k), {.use_wisdom = false})); },
        [](int k) { return transforms_rightly(dft(640 + k), {.use_wisdom = false}); }));
}

TEST(Fork, ChildMultipliesWhileParentHoldsLocks) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    // Kernels of tiles at the edges that no other product had: all plans of the process share them.
    const auto multiply = [](Integer n) { return multiplies_rightly<std::complex<float>>(n, n, 50, 1); };
    EXPECT_TRUE(is_true_in_children_at_locks([&](int k) { static_cast<void>(multiply(129 + k)); },
                                             [&](int k) { return multiply(150 + k); }));
}

TEST(Fork, ChildrenTransformWhileASearchGoesOn) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    std::atomic<bool> has_begun = false;
    std::jthread searching([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            static_cast<void>(plan(dft(5040), {.effort = Effort::measure,
                                               .time_budget_seconds = 2,
                                               .progress = [&](const std::string&) { has_begun = true; },
                                               .use_wisdom = false}));
    });
    while (!has_begun) std::this_thread::yield();
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(is_true_in_a_child([] { return transforms_rightly(dft(64), {.use_wisdom = false}); }));
    // It did not wait for the search.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Fork, CallbacksMayWaitForThreadsThatFork) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    int succeeded = 0, called = 0;
    const auto fork_elsewhere = [&](const std::string&) {
        if (++called > 3) return;
        std::jthread([&] {
            succeeded +=
                is_true_in_a_child([] { return transforms_rightly(dft(64), {.use_wisdom = false}); }) ? 1 : 0;
        });
    };
    static_cast<void>(plan(dft(720), {.effort = Effort::measure,
                                      .time_budget_seconds = 0.2,
                                      .progress = fork_elsewhere,
                                      .use_wisdom = false}));
    EXPECT_GT(called, 0);
    EXPECT_EQ(succeeded, std::min(called, 3));
}

using ForkWithGpu = GpuInterface;

Plan plan_for_gpu(int k) {
    return swirl::plan(
        Transform::make(TransformKind::dft, {8 << k % 4}, {.batches = {{.count = 10 + k % 50}}}),
        {.device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false});
}
Plan plan_product_for_gpu(int k) {
    return swirl::plan(
        MatrixProduct::column_major(DataType::float32, 64 + k, 64, 32),
        {.device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false});
}

TEST_F(ForkWithGpu, ChildPlansWhileParentPlansForGpus) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    std::mutex keeping; // their end calls the driver at any time, and that is not ours
    std::vector<Plan> kept;
    const Busy planning([&](int k) {
        if (k > 300) return std::this_thread::yield();
        Plan plan = plan_for_gpu(k);
        const std::lock_guard lock(keeping);
        kept.push_back(std::move(plan));
    });
    EXPECT_TRUE(is_true_in_children(children, [](int k) {
        return transforms_rightly(dft(100 + k), {.use_wisdom = false}) &&
               !plan_for_gpu(1000 + k).schedule().empty();
    }));
}

TEST_F(ForkWithGpu, ChildPlansWhileParentHoldsGpuPlanningLocks) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    std::vector<Plan> transforms;
    EXPECT_TRUE(is_true_in_children_at_locks([&](int k) { transforms.push_back(plan_for_gpu(k)); },
                                             [](int k) { return !plan_for_gpu(40 + k).schedule().empty(); }));
    std::vector<Plan> products;
    EXPECT_TRUE(
        is_true_in_children_at_locks([&](int k) { products.push_back(plan_product_for_gpu(k)); },
                                     [](int k) { return !plan_product_for_gpu(40 + k).schedule().empty(); }));
}

} // namespace fork_test
} // namespace swirl
