#include "emit/identifiers.hpp"
#include "emit/literal.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <limits>
#include <random>

namespace swirl::emit {
namespace names_and_literals_test {

TEST(Identifiers, AreValidAndNeverTheSame) {
    Identifiers names;
    EXPECT_EQ(names.unique("in"), "in");
    EXPECT_EQ(names.unique("in"), "in_2");
    EXPECT_EQ(names.unique("in"), "in_3");
    EXPECT_EQ(names.unique("for"), "for_2");
    EXPECT_EQ(names.unique("re/im part"), "re_im_part");
    EXPECT_EQ(names.unique("a__b"), "a_b");
    EXPECT_EQ(names.unique("2x"), "x2x");
    EXPECT_EQ(names.unique("_in"), "x_in");
    EXPECT_EQ(names.unique(""), "x");
    EXPECT_EQ(names.unique("größe"), "gr_e");
    names.reserve("taken");
    EXPECT_EQ(names.unique("taken"), "taken_2");
    for (const char* wish : {"in", "x", "while", "1", "a b"})
        EXPECT_TRUE(is_plain_identifier(names.unique(wish)));
}

TEST(Identifiers, ReturnWhenTheirScopeEnds) {
    Identifiers names;
    const std::string first = names.unique("i");
    names.release(first);
    EXPECT_EQ(names.unique("i"), first);
}

TEST(Literals, ReadBackToTheSameBits) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const double wide = std::bit_cast<double>(random());
        const float single = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (wide - wide == 0) {
            EXPECT_EQ(std::strtod(c_literal(wide, DataType::float64).c_str(), nullptr), wide);
        }
        if (single - single == 0) {
            EXPECT_EQ(std::strtof(c_literal(single, DataType::float32).c_str(), nullptr), single);
        }
    }
    EXPECT_EQ(c_literal(-0.0L, DataType::float64), "-0.0");
    EXPECT_EQ(c_literal(1.0L, DataType::float32), "1.0f");
    EXPECT_EQ(c_literal(1e300L, DataType::float64), "1e+300");
}

TEST(Literals, AreRoundedOnceFromLongDouble) {
    // Between two float32 neighbours, above the middle by less than a float64 can tell.
    const long double x = 1.0L + 0x1p-24L + 0x1p-60L;
    EXPECT_EQ(std::strtof(c_literal(x, DataType::float32).c_str(), nullptr), 1.0f + 0x1p-23f);
}

TEST(Literals, NameNanAndInfinity) {
    EXPECT_EQ(c_literal(std::numeric_limits<long double>::infinity(), DataType::float32),
              "static_cast<float>(INFINITY)");
    EXPECT_EQ(c_literal(-1e4000L, DataType::float64), "static_cast<double>(-INFINITY)");
    EXPECT_EQ(c_literal(std::numeric_limits<long double>::quiet_NaN(), DataType::float64),
              "static_cast<double>(NAN)");
    EXPECT_THROW(c_literal(1, DataType::bfloat16), InternalError);
}

TEST(Literals, OfIntegersCoverTheWholeRange) {
    EXPECT_EQ(c_literal(Integer{-5}), "-5");
    EXPECT_EQ(c_literal(std::numeric_limits<Integer>::max()), "9223372036854775807");
    EXPECT_EQ(c_literal(std::numeric_limits<Integer>::min()), "-9223372036854775807 - 1");
}

} // namespace names_and_literals_test
} // namespace swirl::emit
