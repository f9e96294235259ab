#include "ir/table.hpp"
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace swirl::ir {
namespace table_test {

TEST(Tables, HoldWhatTheirElementsHold) {
    const long double third = 1 / 3.0L;
    const Table doubles(DataType::float64, {1, third, -0.0L}), floats(DataType::float32, {1, third, -0.0L}),
        halves(DataType::float16, {1, third, 1e9L});
    EXPECT_EQ(doubles[1], static_cast<long double>(static_cast<double>(third)));
    EXPECT_EQ(floats[1], static_cast<long double>(static_cast<float>(third)));
    EXPECT_TRUE(std::signbit(doubles[2]) && std::signbit(floats[2]));
    EXPECT_EQ(halves[1], 0x1.554p-2L);
    EXPECT_TRUE(std::isinf(halves[2]));
    EXPECT_THROW(doubles[3], InternalError);
    const Table indices(std::vector<Integer>{3, 1, Integer{1} << 62});
    EXPECT_EQ(indices.integers()[2], Integer{1} << 62);
    EXPECT_THROW(doubles.integers(), InternalError);
    EXPECT_THROW(Table(DataType::int32, 4), InternalError);
}

TEST(Tables, LieInMemoryAsKernelsLoadThem) {
    const Table table(DataType::float64, {0.5L, 2});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.data()) % Table::alignment, 0U);
    EXPECT_EQ(static_cast<const double*>(table.data())[1], 2);
    EXPECT_EQ(table.bytes(), 16U);
    EXPECT_EQ(Table(DataType::float32, 3).bytes(), 12U);
}

TEST(Tables, ArePermutedInPlaceUnlessShared) {
    TableData contents = shared(Table(DataType::float32, {0, 1, 2, 3, 4, 5, 6}));
    const Table* const first = contents.get();
    own(contents).permute_blocks({1, 2, 0});
    EXPECT_EQ(contents.get(), first);
    const TableData other = contents;
    own(contents).permute_blocks({1, 2, 0});
    EXPECT_NE(contents.get(), first);
    const long double once[] = {1, 2, 0, 4, 5, 3, 6}, twice[] = {2, 0, 1, 5, 3, 4, 6};
    for (Integer i = 0; i < 7; ++i) {
        EXPECT_EQ((*other)[i], once[i]);
        EXPECT_EQ((*contents)[i], twice[i]);
    }
}

} // namespace table_test
} // namespace swirl::ir
