#include "lower/pointwise_arithmetic.hpp"

#include "ir/interpreter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace swirl::lower {
namespace functions_test {

using Op = Pointwise::Op;

/// Functions in the order of the results of `functions_of`.
constexpr std::array functions = {Op::exponential, Op::tangent, Op::sigmoid, Op::gelu, Op::square_root};

/// Results of all functions at all arguments, by function.
std::vector<std::vector<double>> functions_of(const std::vector<double>& values, DataType scalar) {
    const auto count = static_cast<Integer>(values.size());
    ir::Builder builder("functions");
    const ir::Buffer in = builder.input("input", scalar, count);
    const ir::Buffer out = builder.output("output", scalar, count * static_cast<Integer>(functions.size()));
    builder.for_loop("i", count, [&](const Affine& i) {
        const ir::Value x = builder.load(in, i);
        PointwiseArithmetic arithmetic(builder, {scalar, 1});
        Integer k = 0;
        for (const Op op : functions) {
            const auto result =
                arithmetic.evaluate({{.op = Op::x}, {.op = op, .operands = {0}}}, {x, ir::no_value}, nullptr);
            builder.store(out, count * k++ + i, result.re);
        }
    });
    const ir::Program program = builder.finish();
    ir::Arguments arguments(program);
    for (Integer i = 0; i < count; ++i) arguments["input"].set(i, values[static_cast<std::size_t>(i)]);
    ir::interpret(program, arguments);
    std::vector<std::vector<double>> results(functions.size());
    for (std::size_t k = 0; k < functions.size(); ++k)
        for (Integer i = 0; i < count; ++i)
            results[k].push_back(
                static_cast<double>(arguments["output"][count * static_cast<Integer>(k) + i]));
    return results;
}

long double exact(Op op, long double x) {
    switch (op) {
    case Op::exponential: return std::exp(x);
    case Op::tangent: return std::tanh(x);
    case Op::sigmoid: return 1 / (1 + std::exp(-x));
    case Op::square_root: return std::sqrt(x);
    default: break;
    }
    const long double argument =
        2 * std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x);
    return x < -60 ? -0.0L : x / (1 + std::exp(-argument));
}

double error_bound(Op op) {
    switch (op) {
    case Op::exponential: return 1;
    case Op::tangent: return 1.5;
    case Op::sigmoid: return 2.5;
    case Op::gelu: return 3.5;
    default: return 0.51;
    }
}

/// Values of the type near x, subnormal ones included.
long double unit_of(DataType scalar, long double x) {
    const bool is_double = scalar == DataType::float64;
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1.0L, std::max(exponent, is_double ? -1021 : -125) - (is_double ? 53 : 24));
}

double rounded(DataType scalar, long double x) {
    return scalar == DataType::float64 ? static_cast<double>(x) : static_cast<double>(static_cast<float>(x));
}

std::vector<double> random_values(DataType scalar, std::size_t count) {
    std::mt19937_64 random(7);
    const double farthest = scalar == DataType::float64 ? 800 : 130;
    std::uniform_real_distribution<double> near(-3, 3), around(-25, 25), far(-farthest, farthest);
    std::vector<double> values;
    while (values.size() < count) {
        const auto bits = random();
        const double any = scalar == DataType::float64
                               ? std::bit_cast<double>(bits)
                               : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        for (const double x : {near(random), around(random), far(random), any})
            values.push_back(rounded(scalar, x));
    }
    return values;
}

TEST(Functions, MeetTheirErrorBounds) {
    for (const DataType scalar : {DataType::float32, DataType::float64}) {
        const std::vector<double> values = random_values(scalar, 40000);
        const auto results = functions_of(values, scalar);
        for (std::size_t k = 0; k < functions.size(); ++k)
            for (std::size_t i = 0; i < values.size(); ++i) {
                const long double expected = exact(functions[k], values[i]);
                const double nearest = rounded(scalar, expected), result = results[k][i];
                if (std::isnan(nearest)) {
                    ASSERT_TRUE(std::isnan(result)) << k << " of " << values[i];
                } else if (std::isinf(nearest)) {
                    ASSERT_EQ(result, nearest) << k << " of " << values[i];
                } else {
                    ASSERT_LE(std::fabs(result - expected) / unit_of(scalar, expected),
                              error_bound(functions[k]))
                        << k << " of " << values[i] << ": " << result;
                }
            }
    }
}

TEST(Functions, HandleZerosInfinitiesAndNan) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    struct Case {
        double x;
        std::array<double, functions.size()> results;
    };
    const double none = std::nan("");
    for (const DataType scalar : {DataType::float32, DataType::float64}) {
        const double least = scalar == DataType::float64 ? 0x1p-1074 : 0x1p-149;
        for (const Case& c :
             {Case{0, {1, 0, 0.5, 0, 0}}, Case{-0.0, {1, -0.0, 0.5, -0.0, -0.0}},
              Case{infinity, {infinity, 1, 1, infinity, infinity}}, Case{-infinity, {0, -1, 0, -0.0, none}},
              Case{none, {none, none, none, none, none}}, Case{2 * least, {1, 2 * least, 0.5, least, none}},
              Case{-2 * least, {1, -2 * least, 0.5, -least, none}}}) {
            const auto results = functions_of({c.x}, scalar);
            for (std::size_t k = 0; k < functions.size(); ++k) {
                if (functions[k] == Op::square_root && std::fabs(c.x) == 2 * least) continue;
                const double result = results[k][0];
                if (std::isnan(c.results[k])) {
                    EXPECT_TRUE(std::isnan(result)) << k << " of " << c.x;
                    continue;
                }
                EXPECT_EQ(result, c.results[k]) << k << " of " << c.x;
                EXPECT_EQ(std::signbit(result), std::signbit(c.results[k])) << k << " of " << c.x;
            }
        }
    }
}

} // namespace functions_test
} // namespace swirl::lower
