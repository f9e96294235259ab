#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

/// Users' expressions that tell NaN, infinities and the two zeros apart, with their values by the arithmetic of C.
namespace swirl::support {

struct SpecialExpression {
    const char* text;
    double (*value)(double x);
};
inline const SpecialExpression special_expressions[] = {
    {"x * 0", [](double x) { return x * 0; }},
    {"0 * x + 1", [](double x) { return 0 * x + 1; }},
    {"x - x", [](double x) { return x - x; }},
    {"x / x", [](double x) { return x / x; }},
    {"0 / x", [](double x) { return 0 / x; }},
    {"1 / (x + 0)", [](double x) { return 1 / (x + 0); }},
    {"1 / (0 - x)", [](double x) { return 1 / (0 - x); }},
    {"1 / -(x - x)", [](double x) { return 1 / -(x - x); }},
    {"1 / (-x - x)", [](double x) { return 1 / (-x - x); }},
    {"x <= 3 ? 1 : 2", [](double x) { return x <= 3 ? 1.0 : 2.0; }},
    {"x >= 3 ? 1 : 2", [](double x) { return x >= 3 ? 1.0 : 2.0; }},
    {"x < 3 ? 1 : 2", [](double x) { return x < 3 ? 1.0 : 2.0; }},
    {"x == x ? 1 : 2", [](double x) { return std::isnan(x) ? 2.0 : 1.0; }},
    {"x == 3 ? 1 : 2", [](double x) { return x == 3 ? 1.0 : 2.0; }},
    {"1 / (x * 0)", [](double x) { return 1 / (x * 0); }},
};

inline const std::array special_values = {0.0,
                                          -0.0,
                                          3.0,
                                          -3.0,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};

/// Equal, zeros with the same sign, or both NaN.
inline void expect_same_value(double got, double expected) {
    if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got)) << got << " instead of NaN";
    else
        EXPECT_TRUE(got == expected && std::signbit(got) == std::signbit(expected))
            << got << " instead of " << expected;
}

} // namespace swirl::support
