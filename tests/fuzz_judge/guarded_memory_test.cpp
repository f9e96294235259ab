#include "fuzz/guarded_memory.hpp"

#include <swirl/matrix_product.hpp>
#include <swirl/plan.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace swirl::fuzz {
namespace guarded_memory_test {

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

TEST(GuardedMemory, CatchesEpilogueReadsOutOfBounds) {
    constexpr Integer rows = 33, columns = 5;
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, rows, columns, 7);
    product.epilogue = Expression("x + v[i]");
    const std::vector<float> a(rows * 7), b(7 * columns);
    std::vector<float> c(rows * columns);
    const GuardedMemory v("array v", 0, rows * Integer{sizeof(float)}, 0, Fence::behind);
    const auto* const first = reinterpret_cast<const float*>(v.origin());
    const Plan plan = swirl::plan(product);
    plan.with("v", first).execute(1.0F, a.data(), b.data(), 0.0F, c.data());
    EXPECT_DEATH(plan.with("v", first + 1).execute(1.0F, a.data(), b.data(), 0.0F, c.data()), "");
}

TEST(GuardedMemory, LiesWhereItsOffsetSays) {
    for (const Integer offset : {0, 8, 56}) {
        const GuardedMemory array("array", -16, 100, offset);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.origin()) % 64, static_cast<std::uintptr_t>(offset));
    }
}

} // namespace guarded_memory_test
} // namespace swirl::fuzz
