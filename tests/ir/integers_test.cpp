#include "ir/integers.hpp"

#include "ir/builder.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

namespace swirl::ir {
namespace integers_test {

/// Results of `compute` on values of one type, as values of another.
template <class F>
std::vector<double> computed(DataType from, const std::vector<Integer>& values, DataType to, F&& compute) {
    const int lanes = static_cast<int>(values.size());
    Builder builder("integers");
    const Buffer x = builder.input("x", from, lanes), y = builder.output("y", to, 64);
    const Value result = compute(builder, builder.load(x, 0, {.lanes = lanes}));
    const int results = builder.type(result).lanes;
    builder.store(y, 0, result, {.lanes = results});
    const Program program = builder.finish();
    verify(program, VerificationLevel::vectorized);
    Arguments arguments(program);
    arguments["x"].assign(values);
    interpret(program, arguments);
    std::vector<double> found;
    for (int i = 0; i < results; ++i) found.push_back(static_cast<double>(arguments["y"][i]));
    return found;
}

using Values = std::vector<double>;

TEST(ShortIntegers, WrapAround) {
    const auto squared = [](Builder& b, Value x) { return b.multiply(x, x); };
    EXPECT_EQ(computed(DataType::int32, {65536, 46341, -3}, DataType::int32, squared),
              (Values{0, -2147479015, 9}));
    EXPECT_EQ(computed(DataType::uint8, {16, 255}, DataType::uint8, squared), (Values{0, 1}));
    const auto negated = [](Builder& b, Value x) { return b.negate(x); };
    EXPECT_EQ(computed(DataType::int8, {-128, 127}, DataType::int8, negated), (Values{-128, -127}));
    const auto sum = [](Builder& b, Value x) { return b.add(x, x); };
    EXPECT_EQ(computed(DataType::int16, {32767, -32768}, DataType::int16, sum), (Values{-2, 0}));
}

TEST(ShortIntegers, ConversionsKeepWhatFits) {
    const auto to = [](DataType scalar) {
        return [scalar](Builder& b, Value x) { return b.convert(x, scalar); };
    };
    EXPECT_EQ(computed(DataType::int8, {-1, 127}, DataType::int32, to(DataType::int32)), (Values{-1, 127}));
    EXPECT_EQ(computed(DataType::uint8, {255}, DataType::int16, to(DataType::int16)), (Values{255}));
    EXPECT_EQ(computed(DataType::int32, {-1, 511, 128}, DataType::uint8, to(DataType::uint8)),
              (Values{255, 255, 128}));
    EXPECT_EQ(computed(DataType::int32, {-3}, DataType::float32, to(DataType::float32)), (Values{-3}));
}

TEST(ShortIntegers, BitsAreThoseOfMemory) {
    const auto as = [](DataType scalar) {
        return [scalar](Builder& b, Value x) { return b.bitcast(x, scalar); };
    };
    EXPECT_EQ(computed(DataType::uint8, {1, 2, 3, 0x84}, DataType::int32, as(DataType::int32)),
              (Values{static_cast<double>(static_cast<std::int32_t>(0x84030201U))}));
    EXPECT_EQ(computed(DataType::int32, {-2}, DataType::int8, as(DataType::int8)), (Values{-2, -1, -1, -1}));
    EXPECT_EQ(computed(DataType::int16, {-1, 1}, DataType::int32, as(DataType::int32)), (Values{0x1ffff}));
    const auto masked = [](Builder& b, Value x) { return b.bit_and(x, b.constant(b.type(x), 0xff)); };
    EXPECT_EQ(computed(DataType::int32, {-1, 0x1234}, DataType::int32, masked), (Values{255, 0x34}));
    const auto flipped = [](Builder& b, Value x) { return b.bit_xor(x, b.constant(b.type(x), -1)); };
    EXPECT_EQ(computed(DataType::int32, {5}, DataType::int32, flipped), (Values{-6}));
}

TEST(ShortIntegers, TypesOfBitsAreChecked) {
    Builder builder("wrong");
    const Value x = builder.constant({DataType::float32, 4}, 1);
    EXPECT_THROW(builder.bitcast(x, DataType::int32), InternalError);
    EXPECT_THROW(builder.bit_and(x, x), InternalError);
    const Value odd = builder.constant({DataType::int8, 3}, 1);
    EXPECT_THROW(builder.bitcast(odd, DataType::int16), InternalError);
}

} // namespace integers_test
} // namespace swirl::ir
