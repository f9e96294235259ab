#include "problem/expression.hpp"
#include "problem/syntax.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <random>

namespace swirl {
namespace {

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
    const Expression built = (Expression::number(0.5) * x * Expression::array("w", {"b", "i"}))
                                 .where(Expression::less(i, Expression::number(700)))
                                 .stored_as(Precision::float16);
    EXPECT_EQ(built.text(), "float16: 0.5 * x * w[b, i] where i < 700");
    EXPECT_EQ((conj(x) - Expression::complex_array("h", {"i"})).text(), "conj(x) - complex h[i]");
    EXPECT_EQ(Expression::choose(Expression::less(i, x), x, Expression()).text(), "i < x ? x : x");
    EXPECT_EQ((gelu(x) / (abs(i) + sqrt(exp(i)))).text(), "gelu(x) / (abs(i) + sqrt(exp(i)))");
    EXPECT_EQ(max(tanh(x), min(i, sigmoid(x))).text(), "max(tanh(x), min(i, sigmoid(x)))");
    EXPECT_TRUE(Expression().is_identity());
    EXPECT_EQ(Problem::dft({64}, {.load = built}).load, built);
}

TEST(Expressions, ArePartOfTheTextOfAProblem) {
    const char* const text = "dft 64 float32 batch=3 load=\"x * w[i]\" store=\"x where i < 9\"";
    EXPECT_EQ(to_text(parse_problem(text)), text);
    EXPECT_EQ(parse_problem(text), parse_problem(to_text(parse_problem(text))));
    EXPECT_NE(hash_value(parse_problem(text)), hash_value(parse_problem("dft 64 float32 batch=3")));
    EXPECT_EQ(arrays_of(parse_problem(text)),
              (std::vector<ProblemArray>{{"w", false, Precision::float32, 64}}));
    EXPECT_EQ(arrays_of(problem("dft 4x8 batch=5 load=\"x * complex float16 w[b, i1]\"")),
              (std::vector<ProblemArray>{{"w", true, Precision::float16, 40}}));
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
            parse_problem(mistake.text);
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
        {"dft 8 load=\"x < 1 ? x : 0\"", "comparison of what is not real"},
        {"dft 8 load=\"exp(x)\"", "a function of what is not real"},
        {"dft 8 load=\"1 / x\"", "division by what is not real"},
        {"dft 8 load=\"i < 1\"", "the result is a condition"},
        {"dft 8 load=\"x where 3\"", "no condition after 'where'"},
        {"dft 8 load=\"x where re(x) < 1\"", "conditions after 'where'"},
        {"dft 8 load=\"x where i < 1 or i > 3\"", "conditions after 'where'"},
        {"dft 8 load=\"x where i < 0\"", "nothing is left"},
        {"wht 8 store=\"complex(x, 1)\"", "the result is complex"},
        {"rdft 8 load=\"x * w[i]\" store=\"x * w[i]\"",
         "array w is used with different types, indices or lengths"},
        {"dft 8x8 store=\"x where i0 < 3\"", "results of several dimensions"},
        {"dft 8 load=\"x * re[i]\"", "an array is named re"},
        {"convolution 8 load=\"x * spectrum[i]\"", "an array is named spectrum"},
        {"dft 8 load=\"x * w[i]\" store=\"x * complex w[i]\"", "array w is used with different types"},
        {"dft 8 inplace load=\"float16: x\"", "input and output are of different types"},
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

} // namespace
} // namespace swirl
