#include "plan/shared_tables.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace swirl::planning {
namespace shared_tables_test {

std::vector<std::byte> content(std::size_t bytes, int first) {
    std::vector<std::byte> result(bytes);
    result.front() = static_cast<std::byte>(first);
    return result;
}

class Tables : public testing::Test {
protected:
    TableBytes table(const std::vector<std::byte>& of) {
        return tables.shared(of, [&] {
            ++made;
            return copied_table(of);
        });
    }

    SharedTables tables;
    int made = 0;
};

TEST_F(Tables, WithEqualContentAreOne) {
    const TableBytes one = table(content(100, 1)), same = table(content(100, 1));
    EXPECT_EQ(one, same);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(std::vector<std::byte>(one.get(), one.get() + 100), content(100, 1));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.get()) % 64, 0U);
}

TEST_F(Tables, WithOtherContentDiffer) {
    const TableBytes one = table(content(100, 1)), other = table(content(100, 2)),
                     longer = table(content(101, 1));
    EXPECT_NE(one, other);
    EXPECT_NE(one, longer);
    EXPECT_EQ(made, 3);
}

TEST_F(Tables, LiveAsLongAsSomebodyHoldsThem) {
    TableBytes one = table(content(100, 1));
    const std::weak_ptr<const std::byte> watched = one;
    TableBytes same = table(content(100, 1));
    one.reset();
    EXPECT_FALSE(watched.expired());
    same.reset();
    EXPECT_TRUE(watched.expired());
    table(content(100, 1));
    EXPECT_EQ(made, 2);
    for (int k = 0; k < 5000; ++k) table(content(64, k)); // nobody holds them
    EXPECT_GT(made, 4900);
}

TEST_F(Tables, AreSharedAmongThreads) {
    std::vector<TableBytes> held(8);
    std::vector<std::thread> threads;
    for (TableBytes& own : held)
        threads.emplace_back([&own] {
            const std::vector<std::byte> of = content(5000, 7);
            own = SharedTables::of_process().shared(of, [&] { return copied_table(of); });
        });
    for (std::thread& thread : threads) thread.join();
    for (const TableBytes& own : held) EXPECT_EQ(own, held[0]);
}

} // namespace shared_tables_test
} // namespace swirl::planning
