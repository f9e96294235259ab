#include "problem/expression.hpp"
#include "problem/syntax.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace swirl {
namespace expression_test {

TEST(Expressions, ReadAsTheyAreWritten) {
    const std::pair<const char*, const char*> canonical[] = {
        {"x", "x"},
        {" 0.5*x ", "0.5 * x"},
        {"x*window[i]", "x * window[i]"},
        {"x * complex float16 h[b,i0]", "x * complex float16 h[b, i0]"},
        {"a[i] - (b - (i - 2))", "a[i] - (b - (i - 2))"},
        {"(a[i] - b) - i", "a[i] - b - i"},
        {"2 * (x + 1) / 4", "2 * (x + 1) * 0.25"},
        {"-x * -2", "-x * (-2)"},
        {"x / -4 + 1 / (i + 1)/2", "x * (-0.25) + 1 / (i + 1) * 0.5"},
        {"x/(a[i]*b)/-i", "x / (a[i] * b) / -i"},
        {"exp(abs(re(x))) + tanh( sqrt(2) ) * sigmoid(1) - gelu(i)",
         "exp(abs(re(x))) + tanh(sqrt(2)) * sigmoid(1) - gelu(i)"},
        {"-(x + 1)", "-(x + 1)"},
        {"i<700?x:0", "i < 700 ? x : 0"},
        {"i >= 3 && i != 5 || not b > 2 ? x : i < 2 ? 1 : 0",
         "3 <= i and not (i == 5) or not (2 < b) ? x : i < 2 ? 1 : 0"},
        {"(i < 2 ? 1 : 0) * x", "(i < 2 ? 1 : 0) * x"},
        {"float16: x where i < 700 and b > 1", "float16: x where i < 700 and 1 < b"},
        {"conj(x) + complex(re(x), im(x)) * min(1, max(abs2(x), 2))",
         "conj(x) + complex(re(x), im(x)) * min(1, max(abs2(x), 2))"},
        {"float32 w[i]", "float32 w[i]"},
        {"x*s[ ]", "x * s[]"},
    };
    for (const auto& [text, expected] : canonical) {
        const Expression expression(text);
        EXPECT_EQ(expression.text(), expected);
        EXPECT_EQ(Expression(expression.text()), expression);
    }
}

TEST(Expressions, AreBuiltToo) {
    const Expression x = Expression::x(), i = Expression::index("i");
    const Expression built = (Expression::constant(0.5) * x * Expression::array("w", {"b", "i"}))
                                 .where(Expression::less(i, Expression::constant(700)))
                                 .stored_as(DataType::float16);
    EXPECT_EQ(built.text(), "float16: 0.5 * x * w[b, i] where i < 700");
    EXPECT_EQ((conj(x) - Expression::complex_array("h", {"i"})).text(), "conj(x) - complex h[i]");
    EXPECT_EQ(Expression::choose(Expression::less(i, x), x, Expression()).text(), "i < x ? x : x");
    EXPECT_EQ((gelu(x) / (abs(i) + sqrt(exp(i)))).text(), "gelu(x) / (abs(i) + sqrt(exp(i)))");
    EXPECT_EQ(max(tanh(x), min(i, sigmoid(x))).text(), "max(tanh(x), min(i, sigmoid(x)))");
    EXPECT_TRUE(Expression().is_identity());
    EXPECT_EQ(Transform::dft({64}, {.load = built}).load, built);
}

TEST(Expressions, BelongToTheProblemsText) {
    const char* const text = "dft 64 float32 batch=3 load=\"x * w[i]\" store=\"x where i < 9\"";
    EXPECT_EQ(to_text(parse_transform(text)), text);
    EXPECT_EQ(parse_transform(text), parse_transform(to_text(parse_transform(text))));
    EXPECT_NE(hash_value(parse_transform(text)), hash_value(parse_transform("dft 64 float32 batch=3")));
    EXPECT_EQ(arrays_of(parse_transform(text)),
              (std::vector<AuxiliaryArray>{{"w", false, DataType::float32, 64}}));
    EXPECT_EQ(arrays_of(problem("dft 4x8 batch=5 load=\"x * complex float16 w[b, i1]\"")),
              (std::vector<AuxiliaryArray>{{"w", true, DataType::float16, 40}}));
}

struct Mistake {
    const char* text;
    std::size_t position;
    const char* expected;
};

TEST(Expressions, SayWhereTheirTextIsWrong) {
    const Mistake mistakes[] = {
        {"dft 8 load=x", 11, "'\"' and an expression"},
        {"dft 8 load=\"x", 13, "'\"' after the expression"},
        {"dft 8 load=\"\"", 12, "a number, x, an index"},
        {"dft 8 load=\"x *\"", 15, "a number, x, an index"},
        {"dft 8 load=\"(x\"", 14, "')'"},
        {"dft 8 load=\"x y\"", 14, "an operator, 'where', or the end"},
        {"dft 8 load=\"x / \"", 16, "a number, x, an index"},
        {"dft 8 load=\"w[\"", 14, "an index, such as i"},
        {"dft 8 load=\"w[i\"", 15, "']'"},
        {"dft 8 load=\"complex w\"", 21, "'[' and the array's indices"},
        {"dft 8 load=\"i < 2 ? x\"", 21, "':'"},
        {"dft 8 load=\"re(x\"", 16, "')'"},
        {"dft 8 load=\"1e999 * x\"", 12, "within the range"},
        {"dft 8 load=\"x\" load=\"x\"", 15, "load= once only"},
    };
    for (const Mistake& mistake : mistakes) {
        try {
            parse_transform(mistake.text);
            ADD_FAILURE() << mistake.text;
        } catch (const SyntaxError& error) {
            EXPECT_EQ(error.position(), mistake.position) << mistake.text;
            EXPECT_NE(std::string(error.what()).find(mistake.expected), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(Expression(std::string(10000, '(')), SyntaxError);
    EXPECT_THROW(Expression(std::string(10000, '-') + "x"), SyntaxError);
}

TEST(Expressions, MustFitTheirProblem) {
    const std::pair<const char*, const char*> misfits[] = {
        {"dft 8 load=\"x * w[j]\"", "there is no index j"},
        {"dft 8 load=\"x * b\"", "there is no index b"},
        {"dft 8x8 load=\"x * i\"", "there is no index i"},
        {"dft 8 load=\"x * w[i, i]\"", "array w has index i twice"},
        {"dft 8 load=\"x < 1 ? x : 0\"", "comparison of a value that is not real"},
        {"dft 8 load=\"exp(x)\"", "a function of a value that is not real"},
        {"dft 8 load=\"1 / x\"", "division by a value that is not real"},
        {"dft 8 load=\"i < 1\"", "the result is a condition"},
        {"dft 8 load=\"x where 3\"", "no condition after 'where'"},
        {"dft 8 load=\"x where re(x) < 1\"", "conditions after 'where'"},
        {"dft 8 load=\"x where i < 1 or i > 3\"", "conditions after 'where'"},
        {"dft 8 load=\"x where i < 0\"", "exclude every index"},
        {"wht 8 store=\"complex(x, 1)\"", "the result is complex"},
        {"rdft 8 load=\"x * w[i]\" store=\"x * w[i]\"",
         "array w is used with different types, indices or lengths"},
        {"dft 8x8 store=\"x where i0 < 3\"", "results of several dimensions"},
        {"dft 8 load=\"x * re[i]\"", "an array is named re"},
        {"convolution 8 load=\"x * spectrum[i]\"", "an array has the reserved name spectrum"},
        {"dft 8 load=\"x * w[i]\" store=\"x * complex w[i]\"", "array w is used with different types"},
        {"dft 8 inplace load=\"float16: x\"", "input and output have different data types"},
    };
    for (const auto& [text, expected] : misfits) {
        try {
            problem(text);
            ADD_FAILURE() << text;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("problem: "), std::string::npos) << error.what();
        }
    }
}

std::string repeated(const char* text, int times) {
    std::string result;
    for (int k = 0; k < times; ++k) result += text;
    return result;
}

TEST(Expressions, AreRefusedBeforeTheyOverflowTheStack) {
    const std::string texts[] = {
        repeated("x+", 30000) + "x",
        repeated("x*", 30000) + "x",
        repeated("-", 1000000) + "x",
        repeated("(", 1000000) + "x",
        repeated("exp(", 1000000) + "x",
        repeated("not ", 1000000) + "x",
        repeated("x?x:", 30000) + "x",
        repeated("i<1 and ", 30000) + "i<1",
        "x * " + repeated("w", 1000000) + "[i]",
        "x where " + repeated("i<1 and ", 30000) + "i<1",
    };
    for (const std::string& text : texts) {
        try {
            const Expression expression(text);
            ADD_FAILURE() << text.substr(0, 20);
        } catch (const SyntaxError& error) {
            const std::string message = error.what();
            EXPECT_LT(message.size(), 1000U);
            EXPECT_TRUE(message.find("at most 1000") != std::string::npos ||
                        message.find("at most 200 levels") != std::string::npos ||
                        message.find("names have at most 64") != std::string::npos)
                << message;
        }
    }
}

TEST(Expressions, UpToTheLimitsReadAsTheyAreWritten) {
    for (const std::string& text :
         {repeated("x+", 499) + "x", repeated("(", 199) + "x" + repeated(")", 199), repeated("-", 99) + "x",
          repeated("exp(", 199) + "re(x)" + repeated(")", 199), repeated("i < 1 ? x : ", 199) + "x"}) {
        const Expression expression(text);
        EXPECT_EQ(Expression(expression.text()).text(), expression.text());
    }
}

TEST(Expressions, ThatAreBuiltKeepToTheLimitsOfText) {
    Expression doubled = Expression::x();
    EXPECT_THROW(for (int k = 0; k < 60; ++k) doubled = doubled + doubled,
                 UserError); // 2^60 terms, in few nodes
    Expression nested = Expression::x();
    EXPECT_THROW(for (int k = 0; k < 1000; ++k) nested = exp(nested), UserError);
    EXPECT_THROW(Expression::constant(std::numeric_limits<double>::infinity()), UserError);
    EXPECT_THROW(Expression::array("w[i] + v", {"i"}), UserError);
    EXPECT_THROW(Expression::array("w", {"i]"}), UserError);
    EXPECT_THROW(Expression::index("not"), UserError);
    EXPECT_THROW(Expression("x / 0"), SyntaxError);
    const Expression third = Expression::x() / Expression::constant(3);
    EXPECT_EQ(Expression(third.text()), third);
}

TEST(Expressions, OfAnyKindReadAsTheyAreWritten) {
    for (const char* text :
         {"(not i < 2) * x", "-(not i < 2)", "not not (i < 2) and b < 1", "(i < 2) < (b < 1)", "--x",
          "not -x", "x - -2 - (-3)", "(x ? x : x) ? x : (x ? x : x)"}) {
        const Expression expression(text);
        EXPECT_EQ(Expression(expression.text()).text(), expression.text()) << text;
    }
}

TEST(Expressions, MultiplyLengthsAndFactorsWithinSixtyFourBits) {
    for (const char* text :
         {"dft 4611686018427387904x4611686018427387904 strides=(1,1) load=\"x * w[i0, i1]\"",
          "dft 8 load=\"x where i * 1e15 * 1e15 * 1e15 < 1\"", "dft 1048576 load=\"x where i * 1e15 < 1\""})
        EXPECT_THROW(problem(text), UserError) << text;
}

TEST(Expressions, TouchWhatConditionsWithNegativeFactorsLeave) {
    const auto range = [](const char* condition) {
        const Transform p = problem(std::string("dft 8 load=\"x where ") + condition + "\"");
        const IndexRange touched = touched_ranges(p, Side::input)[0];
        return std::pair(touched.first, touched.end);
    };
    EXPECT_EQ(range("2 * i <= 5"), std::pair(Integer{0}, Integer{3}));
    EXPECT_EQ(range("5 - 2 * i < 0"), std::pair(Integer{3}, Integer{8}));
    EXPECT_EQ(range("6 - 2 * i == 0"), std::pair(Integer{3}, Integer{4}));
}

TEST(Expressions, SurviveAnyDamageToTheirText) {
    const std::string text =
        "float16: x * complex w[b, i] + (i < 3 and not b > 2 ? conj(x) : -2) where i < 700";
    std::mt19937 random(4);
    for (int k = 0; k < 20000; ++k) {
        std::string damaged = text;
        for (int times = 0; times < 3; ++times)
            damaged[random() % damaged.size()] = text[random() % text.size()];
        try {
            const Expression expression{std::string_view(damaged)};
            EXPECT_EQ(Expression(expression.text()), expression) << damaged;
        } catch (const SyntaxError&) {}
    }
}

} // namespace expression_test
} // namespace swirl
