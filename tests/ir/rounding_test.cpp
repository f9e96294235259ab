// Rounding to the ir's scalars against lists of all representable values, and the interpreter's arithmetic against
// the same lists and the machine's own float.

#include "ir/rounding.hpp"
#include "ir/builder.hpp"
#include "ir/interpreter.hpp"

#include <swirl/half.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace swirl::ir {
namespace rounding_test {

/// A 16-bit format by its definition: sign, `exponent_bits`, and the rest.
struct Format {
    DataType scalar;
    int exponent_bits;
    int fraction_bits() const { return 15 - exponent_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }

    /// The finite value with this pattern; the pattern after the largest stands for the next value beyond it.
    double element(unsigned pattern) const {
        const unsigned fraction = pattern & ((1U << fraction_bits()) - 1);
        const int exponent = static_cast<int>(pattern >> fraction_bits());
        if (exponent == 0) return std::ldexp(fraction, 1 - bias() - fraction_bits());
        return std::ldexp(fraction + (1U << fraction_bits()), exponent - bias() - fraction_bits());
    }
    unsigned patterns() const { return ((1U << exponent_bits) - 1) << fraction_bits(); } ///< infinity's
};
constexpr Format formats[] = {{DataType::float16, 5}, {DataType::bfloat16, 8}};

/// Nearest number of the format to a non-negative x; `compare(midpoint)` gives the sign of x − midpoint exactly.
template <class Compare> double nearest(const Format& format, double about, Compare&& compare) {
    unsigned low = 0;
    unsigned high = format.patterns();
    while (high - low > 1) { // largest pattern not above x, up to the error of `about`
        const unsigned middle = (low + high) / 2;
        (format.element(middle) <= about ? low : high) = middle;
    }
    low -= low > 0;
    for (; low < format.patterns(); ++low) {
        const int side = compare((format.element(low) + format.element(low + 1)) / 2);
        if (side < 0 || (side == 0 && low % 2 == 0)) return format.element(low);
    }
    return std::numeric_limits<double>::infinity();
}

int sign(double x) { return (x > 0) - (x < 0); }

TEST(Rounding, ToElevenBitsIsToNearestEven) {
    EXPECT_EQ(round_to_tf32(1 + 0x1p-11), 1);
    EXPECT_EQ(round_to_tf32(1 + 0x3p-11), 1 + 0x1p-9);
    EXPECT_EQ(round_to_tf32(1 + 0x1.0002p-11), 1 + 0x1p-10);
    EXPECT_EQ(round_to_tf32(-3.1415926), -0x1.92p+1);
    EXPECT_EQ(round_to_tf32(0x1.ffcp127), 0x1.ffcp127);
    EXPECT_EQ(round_to_tf32(0x1.fffffep127), HUGE_VAL);
    EXPECT_EQ(round_to_tf32(0x1p-149), 0);
    EXPECT_EQ(round_to_tf32(0x1p-136), 0x1p-136);
    EXPECT_EQ(round_to_tf32(-HUGE_VAL), -HUGE_VAL);
    EXPECT_TRUE(std::isnan(round_to_tf32(std::nan(""))));
}

TEST(Rounding, SixteenBitFormatsTieToEven) {
    for (const Format& format : formats) {
        for (unsigned p = 0; p < format.patterns(); ++p) {
            const double here = format.element(p);
            const double next = format.element(p + 1);
            const double above = p + 1 == format.patterns() ? std::numeric_limits<double>::infinity() : next;
            const double middle = (here + next) / 2;
            ASSERT_EQ(round_to(format.scalar, here), here);
            ASSERT_EQ(round_to(format.scalar, -here), -here);
            ASSERT_EQ(round_to(format.scalar, middle), p % 2 == 0 ? here : above) << p;
            ASSERT_EQ(round_to(format.scalar, std::nextafter(middle, here)), here);
            ASSERT_EQ(round_to(format.scalar, -std::nextafter(middle, next)), -above);
        }
        EXPECT_TRUE(std::signbit(round_to(format.scalar, -0.0)));
        EXPECT_TRUE(std::isnan(round_to(format.scalar, std::nan(""))));
        EXPECT_EQ(round_to(format.scalar, -HUGE_VAL), -HUGE_VAL);
    }
}

TEST(Rounding, EightBitFormatsTieToEven) {
    for (unsigned bits = 0; bits < 127; ++bits) {
        float8_e4m3 element;
        element.bits = static_cast<std::uint8_t>(bits);
        const float value = element;
        EXPECT_EQ(float8_e4m3(value).bits, bits);
        EXPECT_EQ(float8_e4m3(-value).bits, bits | 0x80U);
        EXPECT_EQ(round_to(DataType::float8_e4m3, static_cast<double>(value)), value);
        if (bits == 126) break; // the largest
        float8_e4m3 next;
        next.bits = static_cast<std::uint8_t>(bits + 1);
        const float middle = (value + static_cast<float>(next)) / 2;
        EXPECT_EQ(float8_e4m3(middle).bits, bits % 2 == 0 ? bits : bits + 1);
        for (const float x : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, 1e9F)})
            EXPECT_EQ(round_to(DataType::float8_e4m3, static_cast<double>(x)),
                      static_cast<float>(float8_e4m3(x)))
                << x;
    }
    EXPECT_EQ(static_cast<float>(float8_e4m3(1e9F)), 448.0F);
    EXPECT_EQ(static_cast<float>(float8_e4m3(-HUGE_VALF)), -448.0F);
    EXPECT_TRUE(std::isnan(static_cast<float>(float8_e4m3(std::nanf("")))));
}

TEST(Rounding, WiderTypesAreRoundedOnce) {
    EXPECT_EQ(round_to(DataType::float16, 1 + 0x1p-11 + 0x1p-30), 1 + 0x1p-10) << "not by way of float32";
    EXPECT_EQ(round_to(DataType::float16, 1 + 0x1p-11L + 0x1p-60L), 1 + 0x1p-10) << "not by way of float64";
    EXPECT_EQ(round_to(DataType::float16, 1 + 0x3p-11L - 0x1p-60L), 1 + 0x1p-10);
    EXPECT_EQ(round_to(DataType::float32, 1 + 0x1p-24L + 0x1p-60L), 1 + 0x1p-23);
    EXPECT_EQ(round_to(DataType::float64, 1 + 0x1p-53L + 0x1p-60L), 1 + 0x1p-52);
    EXPECT_EQ(round_to(DataType::bfloat16, (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1), 0x1p62 + 0x1p55);
    EXPECT_EQ(round_to(DataType::bfloat16, (INT64_C(1) << 62) + (INT64_C(1) << 54)), 0x1p62);
    EXPECT_EQ(round_to(DataType::bfloat16, -(INT64_C(1) << 62) - (INT64_C(1) << 54) - 1), -0x1p62 - 0x1p55);
    EXPECT_EQ(round_to(DataType::float32, (INT64_C(1) << 24) + 1), 0x1p24);
    EXPECT_EQ(round_to(DataType::float64, (INT64_C(1) << 53) + 3), 0x1p53 + 4);
    EXPECT_EQ(round_to(DataType::float16, INT64_C(70000)), HUGE_VAL);
}

/// y[0…6] = a+b, a−b, a·b, ab+c, ab−c, c−ab, −a
Program arithmetic(DataType scalar) {
    Builder b("arithmetic");
    const Buffer x = b.input("x", scalar, 3);
    const Buffer y = b.output("y", scalar, 7);
    const Value p = b.load(x, 0);
    const Value q = b.load(x, 1);
    const Value r = b.load(x, 2);
    b.store(y, 0, b.add(p, q));
    b.store(y, 1, b.subtract(p, q));
    b.store(y, 2, b.multiply(p, q));
    b.store(y, 3, b.fma(p, q, r));
    b.store(y, 4, b.fms(p, q, r));
    b.store(y, 5, b.fnma(p, q, r));
    b.store(y, 6, b.negate(p));
    return b.finish();
}

std::vector<double> run_arithmetic(Interpreter& interpreter, Arguments& arguments, double a, double b,
                                   double c) {
    arguments["x"].assign(std::vector<double>{a, b, c});
    interpreter.run(arguments);
    return arguments["y"].values();
}

TEST(Rounding, SixteenBitArithmeticRoundsEveryOperationOnce) {
    std::mt19937 random(1);
    for (const Format& format : formats) {
        const Program program = arithmetic(format.scalar);
        Interpreter interpreter(program);
        Arguments arguments(program);
        // Half of the exponents lie close together, where cancellation and ties are frequent.
        std::uniform_int_distribution<unsigned> any(0, format.patterns() - 1);
        const unsigned one = static_cast<unsigned>(format.bias()) << format.fraction_bits();
        std::uniform_int_distribution<unsigned> close(one - (4U << format.fraction_bits()),
                                                      one + (4U << format.fraction_bits()));
        for (int i = 0; i < 20000; ++i) {
            const auto draw = [&] {
                const double x = format.element(i % 2 ? any(random) : close(random));
                return random() % 2 ? x : -x;
            };
            const double a = draw();
            const double b = draw();
            const double c = draw();
            // sign(ab + c − m) is exact: c − m has few enough digits, and fma rounds once.
            const auto expected = [&](double u, double v, double w) {
                const double about = std::fma(u, v, w);
                const double s = about < 0 ? -1 : 1;
                return s * nearest(format, std::fabs(about), [&](double m) {
                           if (std::fabs(u * v) == 0) return sign(s * w - m);
                           return sign(std::fma(s * u, v, s * w - m));
                       });
            };
            const std::vector<double> y = run_arithmetic(interpreter, arguments, a, b, c);
            ASSERT_EQ(y[0], expected(a, 1, b)) << a << " + " << b;
            ASSERT_EQ(y[1], expected(a, 1, -b)) << a << " - " << b;
            ASSERT_EQ(y[2], expected(a, b, 0)) << a << " * " << b;
            if (format.scalar ==
                DataType::float16) { // bfloat16's c − m may need more digits than a double has
                ASSERT_EQ(y[3], expected(a, b, c)) << a << " * " << b << " + " << c;
                ASSERT_EQ(y[4], expected(a, b, -c));
                ASSERT_EQ(y[5], expected(-a, b, c));
            }
            ASSERT_EQ(y[6], -a);
        }
    }
}

TEST(Rounding, FusedBfloat16TiesUseAllBits) {
    const Program program = arithmetic(DataType::bfloat16);
    Interpreter interpreter(program);
    Arguments arguments(program);
    // 17·17 = 289 has nine digits and lies half-way between 288 and 290; c is far below a double's last digit.
    for (const double tiny : {0x1p-100, -0x1p-100}) {
        const std::vector<double> y = run_arithmetic(interpreter, arguments, 17, 17, tiny);
        EXPECT_EQ(y[3], tiny > 0 ? 290 : 288);
        EXPECT_EQ(y[4], tiny > 0 ? 288 : 290);
        EXPECT_EQ(y[5], tiny > 0 ? -288 : -290);
    }
    EXPECT_EQ(run_arithmetic(interpreter, arguments, 17, 17, 0)[3], 288) << "ties to even";
}

TEST(Rounding, Float32ArithmeticIsTheMachines) {
    const Program program = arithmetic(DataType::float32);
    Interpreter interpreter(program);
    Arguments arguments(program);
    std::mt19937 random(2);
    for (int i = 0; i < 5000; ++i) {
        const auto draw = [&] {
            for (;;) {
                const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
                int exponent = 0;
                if (!std::isfinite(x)) continue;
                if (i % 2) return x;
                return std::ldexp(std::frexp(x, &exponent), static_cast<int>(random() % 8));
            }
        };
        const float a = draw();
        const float b = draw();
        const float c = draw();
        const std::vector<double> y = run_arithmetic(interpreter, arguments, a, b, c);
        ASSERT_EQ(y[0], a + b);
        ASSERT_EQ(y[1], a - b);
        ASSERT_EQ(y[2], a * b);
        ASSERT_EQ(y[3], std::fma(a, b, c));
        ASSERT_EQ(y[4], std::fma(a, b, -c));
        ASSERT_EQ(y[5], std::fma(-a, b, c));
    }
}

TEST(Rounding, Float64ArithmeticRoundsToDoubleAtOnce) {
    const Program program = arithmetic(DataType::float64);
    Interpreter interpreter(program);
    Arguments arguments(program);
    const std::vector<double> y = run_arithmetic(interpreter, arguments, 1, 0x1p-53 + 0x1p-65, -0x1p-53);
    EXPECT_EQ(y[0], 1 + 0x1p-52) << "an extended format in between would give 1";
    const double third = 1.0 / 3;
    EXPECT_EQ(run_arithmetic(interpreter, arguments, third, 3, -1)[3], std::fma(third, 3.0, -1.0));
}

TEST(Rounding, ConversionsBetweenAllDataTypes) {
    const std::vector<double> values = {0.0,     -1.5,    2.5,     1 + 0x1p-11 + 0x1p-30,
                                        65519.0, 65520.0, -3.0e38, 1e-7};
    const auto count = static_cast<Integer>(values.size());
    const auto run = [&](DataType from, DataType to) {
        Builder b("convert");
        const Buffer x = b.input("x", from, count);
        const Buffer y = b.output("y", to, count);
        b.for_loop("i", count, [&](const Affine& i) { b.store(y, i, b.convert(b.load(x, i), to)); });
        const Program program = b.finish();
        Arguments arguments(program);
        arguments["x"].assign(values);
        interpret(program, arguments);
        return arguments["y"].values();
    };
    EXPECT_EQ(run(DataType::float64, DataType::float32)[3], static_cast<float>(values[3]));
    EXPECT_EQ(run(DataType::float64, DataType::float16)[3], 1 + 0x1p-10);
    EXPECT_EQ(run(DataType::float32, DataType::float16)[3], 1) << "2⁻³⁰ was lost in float32 already";
    EXPECT_EQ(run(DataType::float64, DataType::float16)[4], 65504);
    EXPECT_EQ(run(DataType::float64, DataType::float16)[5], HUGE_VAL);
    EXPECT_EQ(run(DataType::float64, DataType::int64)[1], -1) << "towards zero";
    EXPECT_EQ(run(DataType::float64, DataType::int64)[2], 2);
    EXPECT_EQ(run(DataType::int64, DataType::float16)[4], 65504);
    EXPECT_EQ(run(DataType::float64, DataType::bfloat16)[6], -0x1.c4p127);
}

} // namespace rounding_test
} // namespace swirl::ir
