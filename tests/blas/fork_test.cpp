#include "calls.hpp"
#include "support/forked_child.hpp"
#include "support/pause_at_locks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace swirl::test {
namespace fork_test {

/// The routine. Looked up before there are threads: what looks symbols up has a lock that does not survive fork().
template <class T>
const auto gemm = reinterpret_cast<void (*)(const char*, const char*, const int*, const int*, const int*,
                                            const T*, const T*, const int*, const T*, const int*, const T*,
                                            T*, const int*)>(blas_symbol(routine_of<T>("gemm") + "_"));

/// Products of n×n matrices of integers, which are exact.
template <class T> bool multiplies_rightly(int n) {
    const auto size = static_cast<std::size_t>(n * n);
    std::vector<T> a(size), b(size), c(size, T(-1));
    for (std::size_t i = 0; i < size; ++i) {
        a[i] = T(static_cast<float>(i % 5));
        b[i] = T(static_cast<float>(i * 7 % 5));
    }
    const T one(1), zero(0);
    gemm<T>("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    for (const int i : {0, n / 2, n - 1})
        for (int j = 0; j < n; ++j) {
            T sum(0);
            for (int l = 0; l < n; ++l)
                sum += a[static_cast<std::size_t>(i + l * n)] * b[static_cast<std::size_t>(l + j * n)];
            if (c[static_cast<std::size_t>(i + j * n)] != sum) return false;
        }
    return true;
}

TEST(BlasFork, ChildrenMultiplyAfterTheParentDidByThreads) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    ASSERT_TRUE(multiplies_rightly<double>(500));
    ASSERT_TRUE(is_true_in_a_child([] { return multiplies_rightly<double>(400); }));
    ASSERT_TRUE(multiplies_rightly<double>(500));
}

TEST(BlasFork, ChildrenMultiplyWhileOtherThreadsOfTheParentDo) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    // Other sizes each time: kernels are made on the way.
    const Busy others([](int k) {
        const int n = 3 + k * 37 % 150;
        static_cast<void>(multiplies_rightly<double>(n));
        static_cast<void>(multiplies_rightly<float>(n));
    });
    EXPECT_TRUE(is_true_in_children(20, [](int k) {
        for (int repeat = 0; repeat < 4; ++repeat)
            if (!multiplies_rightly<double>(10 + 13 * k) || !multiplies_rightly<float>(6 + k)) return false;
        return multiplies_rightly<std::complex<double>>(30 + k);
    }));
}

TEST(BlasFork, ChildMultipliesWhileParentHoldsLocks) {
    if (!children_may_take_memory) GTEST_SKIP() << not_with_sanitizers;
    EXPECT_TRUE(is_true_in_children_at_locks(
        [](int k) { static_cast<void>(multiplies_rightly<std::complex<float>>(31 + k)); },
        [](int k) { return multiplies_rightly<std::complex<float>>(70 + k); }));
}

} // namespace fork_test
} // namespace swirl::test
