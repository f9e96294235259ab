#include "base/shared_list.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace swirl {
namespace shared_list_test {

TEST(SharedLists, AreComputedLazilyOnce) {
    std::atomic<int> computed = 0;
    const auto list = SharedList<int>::computed_by(3, [&] {
        ++computed;
        return std::vector<int>{1, 2, 3};
    });
    const SharedList<int> other = list;
    EXPECT_EQ(list.size(), 3U);
    EXPECT_TRUE(list == other);
    EXPECT_EQ(computed, 0);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back([&] { EXPECT_EQ((*other)[2], 3); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(list->at(0), 1);
    EXPECT_EQ(computed, 1);
}

TEST(SharedLists, AreEqualByContentsUnlessTheyAreComputed) {
    const auto given = [](std::vector<int> list) {
        return SharedList<int>(std::make_shared<const std::vector<int>>(std::move(list)));
    };
    EXPECT_TRUE(given({1, 2}) == given({1, 2}));
    EXPECT_FALSE(given({1, 2}) == given({1, 3}));
    EXPECT_FALSE(given({}) == SharedList<int>());
    EXPECT_TRUE(SharedList<int>() == nullptr);
    const auto computed = SharedList<int>::computed_by(2, [] { return std::vector<int>{1, 2}; });
    EXPECT_FALSE(computed == given({1, 2}));
    EXPECT_FALSE(computed == nullptr);
}

TEST(SharedLists, EvaluateSingleElementsWithoutTheOthers) {
    int evaluated = 0;
    const auto list = SharedList<std::size_t>::evaluated_by(5, [&](std::size_t i) {
        ++evaluated;
        return i * i;
    });
    EXPECT_EQ(list.size(), 5U);
    EXPECT_TRUE(list.is_computed());
    EXPECT_EQ(list.at(3), 9U);
    EXPECT_EQ(evaluated, 1);
    EXPECT_EQ(*list, (std::vector<std::size_t>{0, 1, 4, 9, 16}));
}

TEST(SharedLists, LiveAsLongAsSomebodyOwnsThem) {
    SharedList<int>::Weak weak;
    EXPECT_FALSE(weak.lock());
    {
        const auto list = SharedList<int>::computed_by(1, [] { return std::vector<int>{7}; });
        weak = list;
        EXPECT_TRUE(weak.lock() == list);
    }
    EXPECT_FALSE(weak.lock());
}

} // namespace shared_list_test
} // namespace swirl
