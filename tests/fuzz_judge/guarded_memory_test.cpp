#include "fuzz/guarded_memory.hpp"

#include <gtest/gtest.h>

namespace swirl::fuzz {
namespace {

using Fence = GuardedMemory::Fence;

/// Reads a byte that the compiler knows nothing of.
int read(const GuardedMemory& array, Integer offset) {
    return static_cast<int>(*const_cast<const volatile std::byte*>(array.origin() + offset));
}

TEST(GuardedMemory, CrashesOnReadsBeyondAFence) {
    for (const Integer bytes : {8, 24, 4096, 10'000}) {
        const GuardedMemory before("array", -8, bytes, 0, Fence::before),
            behind("array", -8, bytes, 0, Fence::behind);
        for (const GuardedMemory* array : {&before, &behind}) {
            read(*array, -8);
            read(*array, bytes - 1);
        }
        EXPECT_DEATH(read(before, -9), "");
        EXPECT_DEATH(read(behind, bytes), "");
        read(before, bytes);
        read(behind, -9);
    }
}

TEST(GuardedMemory, LiesWhereItsOffsetSays) {
    for (const Integer offset : {0, 8, 56}) {
        const GuardedMemory array("array", -16, 100, offset);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.origin()) % 64, static_cast<std::uintptr_t>(offset));
    }
}

} // namespace
} // namespace swirl::fuzz
