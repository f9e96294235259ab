#include "base/fork_gate.hpp"

#include "support/forked_child.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace swirl {
namespace fork_gate_test {

using namespace std::chrono_literals;

constexpr int threads = 3, children = 40;

TEST(ForkGate, ChildFindsLocksFreeAndDataConsistent) {
    ForkSafeMutex mutex;
    volatile int first = 0, second = 0;
    const auto change = [&](int = 0) {
        const std::lock_guard lock(mutex);
        first = first + 1;
        std::this_thread::sleep_for(100us);
        second = second + 1;
    };
    const Busy busy(change);
    for (int k = 0; k < children; ++k)
        ASSERT_TRUE(is_true_in_a_child([&] {
            change();
            return first == second;
        })) << k;
}

TEST(ForkGate, AChildMayShareAndTakeLocksOfReaders) {
    ForkSafe<std::shared_mutex> mutex;
    volatile int counter = 0;
    const auto use = [&](int = 0) {
        {
            const std::shared_lock lock(mutex);
            if (counter < 0) return;
        }
        const std::lock_guard lock(mutex);
        counter = counter + 1;
    };
    const Busy busy(use);
    for (int k = 0; k < children; ++k)
        ASSERT_TRUE(is_true_in_a_child([&] {
            use();
            return true;
        })) << k;
}

TEST(ForkGate, ValuesAreMadeOnceHoweverOftenForksComeBetween) {
    static LazyValue<int> values[children];
    for (int k = 0; k < children; ++k) {
        LazyValue<int>& value = values[k];
        std::atomic<int> made = 0;
        const auto get = [&] {
            return value.get([&] {
                std::this_thread::sleep_for(1ms);
                return 40 + ++made;
            });
        };
        std::jthread other([&] { EXPECT_EQ(get(), 41); });
        std::this_thread::sleep_for(std::chrono::microseconds(50 * k));
        ASSERT_TRUE(is_true_in_a_child([&] { return get() == 41; })) << k;
        EXPECT_EQ(get(), 41);
    }
}

TEST(ForkGate, SectionMayWaitForJoinedThreads) {
    ForkSafeMutex mutex;
    const Busy busy([&](int) {
        const ForkSection section;
        std::jthread helper([&, inside = ForkSection::is_inside()] {
            const ForkSection::Joined joined(inside);
            std::this_thread::sleep_for(100us);
            const ForkSection nested;
            const std::lock_guard lock(mutex);
            ForkSection::let_forks_pass();
        });
    });
    for (int k = 0; k < children; ++k)
        ASSERT_TRUE(is_true_in_a_child([&] {
            const std::lock_guard lock(mutex);
            return true;
        })) << k;
}

TEST(ForkGate, LongSectionsAdmitForksWithoutLocks) {
    ForkSafeMutex mutex;
    volatile int first = 0, second = 0;
    std::atomic<bool> began = false;
    std::jthread planning([&](const std::stop_token& stop) {
        const ForkSection section;
        while (!stop.stop_requested()) {
            {
                const std::lock_guard lock(mutex);
                first = first + 1;
                ForkSection::let_forks_pass(); // not here
                second = second + 1;
            }
            ForkSection::let_forks_pass();
            began = true;
        }
    });
    while (!began) std::this_thread::yield();
    for (int k = 0; k < children; ++k)
        ASSERT_TRUE(is_true_in_a_child([&] {
            const std::lock_guard lock(mutex);
            return first == second;
        })) << k;
}

TEST(ForkGate, ConcurrentForksInSectionsDoNotDeadlock) {
    std::vector<std::jthread> forking;
    std::atomic<int> succeeded = 0;
    for (int t = 0; t < threads; ++t)
        forking.emplace_back([&] {
            const ForkSection section;
            for (int k = 0; k < children; ++k)
                if (is_true_in_a_child([] {
                        ForkSafeMutex mutex;
                        const std::lock_guard lock(mutex);
                        return ForkSection::is_inside();
                    }))
                    ++succeeded;
        });
    forking.clear();
    EXPECT_EQ(succeeded, threads * children);
    EXPECT_FALSE(ForkSection::is_inside());
}

TEST(ForkGate, ThreadsOutsideSectionsMayWaitForForks) {
    const ForkSection section;
    {
        const ForkSection nested;
        const ForkSection::Outside outside;
        EXPECT_FALSE(ForkSection::is_inside());
        std::jthread forking([] { EXPECT_TRUE(is_true_in_a_child([] { return true; })); });
    }
    EXPECT_TRUE(ForkSection::is_inside());
    ForkSafeMutex mutex;
    const std::lock_guard lock(mutex);
    const ForkSection::Outside without_effect;
    EXPECT_TRUE(ForkSection::is_inside());
}

TEST(ForkGate, CountsForks) {
    const std::uint64_t before = forks();
    EXPECT_TRUE(is_true_in_a_child([before] {
        return forks() == before + 1 && is_true_in_a_child([before] { return forks() == before + 2; });
    }));
    EXPECT_EQ(forks(), before);
}

} // namespace fork_gate_test
} // namespace swirl
