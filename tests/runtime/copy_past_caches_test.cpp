#include "runtime/cpu/copy_past_caches.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace {

using namespace swirl;

/// Any length at any alignment; bytes before and after stay as they are.
TEST(CopyPastCaches, CopiesAnyRunOfBytesAndNoOthers) {
    std::mt19937_64 random(91);
    for (int trial = 0; trial < 2000; ++trial) {
        const std::size_t bytes = random() % 1000, from_at = random() % 70, to_at = random() % 70;
        std::vector<std::byte> from(bytes + 80), to(bytes + 160, std::byte{7}), expected = to;
        for (std::byte& value : from) value = static_cast<std::byte>(random());
        for (std::size_t i = 0; i < bytes; ++i) expected[to_at + i] = from[from_at + i];
        runtime::copy_past_caches(to.data() + to_at, from.data() + from_at, bytes);
        runtime::finish_copies_past_caches();
        ASSERT_EQ(to, expected) << bytes << " bytes from " << from_at << " to " << to_at;
    }
}

} // namespace
