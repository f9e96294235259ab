#include "target/shuffle.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace swirl::target {
namespace concurrency_test {

TEST(Shuffles, LookupIsThreadSafe) {
    constexpr int threads = 4;
    constexpr int rounds = 300;
    std::vector<std::vector<const ir::Instruction*>> found(threads);
    std::vector<std::thread> workers;
    for (auto& results : found)
        workers.emplace_back([&results] {
            std::mt19937 random(5); // the same maps in every thread
            for (int round = 0; round < rounds; ++round) {
                std::vector<std::int8_t> map(8);
                for (auto& source : map) source = static_cast<std::int8_t>(random() % 16);
                results.push_back(choose_shuffle(avx512_cpu(), {DataType::float64, 8}, map).instruction);
                results.push_back(choose_shuffle(avx2_cpu(), {DataType::float32, 8}, map).instruction);
                results.push_back(find_shuffle_pair(avx2_cpu(), {DataType::float32, 8}, map).first);
            }
        });
    for (std::thread& worker : workers) worker.join();
    for (const auto& results : found) EXPECT_EQ(results, found.front());
}

} // namespace concurrency_test
} // namespace swirl::target
