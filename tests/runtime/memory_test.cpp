#include "runtime/cpu/affinity.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <thread>

namespace swirl::runtime {
namespace memory_test {

std::uintptr_t address(const AlignedBuffer& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(AlignedBuffer, LiesWhereItWasAskedToAndIsZero) {
    for (const std::size_t alignment : {8, 64, 4096})
        for (const std::size_t offset : {0, 8, 24}) {
            AlignedBuffer buffer(1000, {.alignment = alignment, .offset = offset});
            EXPECT_EQ(address(buffer) % alignment, offset % alignment);
            EXPECT_EQ(buffer.bytes(), 1000U);
            const auto bytes = buffer.span_of<unsigned char>();
            EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](unsigned char x) { return x == 0; }));
            std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
        }
}

TEST(AlignedBuffer, AcceptsHugePageHints) {
    const AlignedBuffer large(std::size_t{3} << 20, {.huge_pages = true});
    EXPECT_EQ(address(large) % (std::size_t{2} << 20), 0U);
    const AlignedBuffer small(100, {.huge_pages = true});
    EXPECT_EQ(address(small) % 64, 0U);
}

TEST(AlignedBuffer, EmptyHasAnAddressAndImpossibleThrows) {
    EXPECT_NE(AlignedBuffer(0).data(), nullptr);
    EXPECT_THROW(AlignedBuffer(SIZE_MAX - 10), std::bad_alloc);
}

TEST(AlignedBuffer, MovesWithItsContents) {
    AlignedBuffer first(64);
    first.as<int>()[3] = 7;
    const void* pointer = first.data();
    AlignedBuffer second(std::move(first));
    AlignedBuffer third;
    third = std::move(second);
    EXPECT_EQ(third.data(), pointer);
    EXPECT_EQ(third.as<int>()[3], 7);
}

#if defined(__linux__)
TEST(PinnedThread, StaysOnOneProcessorUntilItsEnd) {
    const std::vector<int> before = allowed_processors();
    ASSERT_FALSE(before.empty());
    {
        const PinnedThread pinned(before.back());
        ASSERT_TRUE(pinned.is_pinned());
        EXPECT_EQ(allowed_processors(), std::vector<int>{before.back()});
    }
    EXPECT_EQ(allowed_processors(), before);
}

TEST(PinnedThread, IgnoresMissingProcessors) {
    const std::vector<int> before = allowed_processors();
    {
        const PinnedThread pinned(8000);
        EXPECT_FALSE(pinned.is_pinned());
        EXPECT_EQ(allowed_processors(), before);
    }
    EXPECT_EQ(allowed_processors(), before);
}

TEST(PinnedThread, PinsOnlyItself) {
    const std::vector<int> before = allowed_processors();
    const PinnedThread pinned;
    std::vector<int> elsewhere;
    std::thread([&] {
        const PinnedThread inner(before.front());
        elsewhere = allowed_processors();
    }).join();
    EXPECT_EQ(allowed_processors().size(), 1U);
    EXPECT_EQ(elsewhere.size(), 1U);
}
#endif

} // namespace memory_test
} // namespace swirl::runtime
