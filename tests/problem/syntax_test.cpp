#include "problem/syntax.hpp"

#include "problem/random_problem.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace syntax_test {

TEST(ProblemText, RoundTripsForRandomProblems) {
    RandomProblems random(1);
    for (int i = 0; i < 20000; ++i) {
        const Transform problem = random();
        const std::string text = to_text(problem);
        ASSERT_EQ(parse_transform(text), problem) << text;
        ASSERT_EQ(to_text(parse_transform(text)), text);
    }
}

TEST(ProblemText, LeavesOutWhatIsDefault) {
    const std::pair<const char*, const char*> canonical[] = {
        {"dft 1024", "dft 1024"},
        {"  dft\t2^10 forward float64 interleaved outofplace scale=1 in=1 out=(1) \n", "dft 1024"},
        {"dft 16x8 in=(8,1) out=(8,1)", "dft 16x8"},
        {"dft 16x8 in=(8,1) out=(1,16)", "dft 16x8 out=(1,16)"},
        {"dft 16x8 out=(1,16) in=(1,16)", "dft 16x8 strides=(1,16)"},
        {"dft 16x8 inplace in=(1,16)", "dft 16x8 inplace strides=(1,16)"},
        {"dft 16x8 scale=0.5 batch=10:(128,128) planar inplace float32 backward",
         "dft 16x8 backward float32 planar inplace batch=10 scale=0.5"},
        {"dft 8 batch=4:(32,32)x5:(8,8)", "dft 8 batch=4:32x5"},
        {"dft 8 batch=4:(40,41)x5:-8", "dft 8 batch=4:(40,41)x5:-8"},
        {"rdft 1000 batch=3:(1000,501)", "rdft 1000 batch=3"},
        {"rdft 100x6 inplace in=(8,1) out=(4,1)", "rdft 100x6 inplace"},
        {"rdft 100x6 inplace in=(10,1) out=(5,1)", "rdft 100x6 inplace in=(10,1)"},
        {"rdft 100x6 inplace in=(9,1) out=(5,1)", "rdft 100x6 inplace in=(9,1) out=(5,1)"},
        {"wht 64", "wht 64"},
        {"dct2 64 scale=1/8", "dct2 64 scale=0.125"},
        {"dst4 -5 in=-1", "dst4 -5 in=-1"},
        {"redft00 5", "dct1 5"},
        {"redft10 5", "dct2 5"},
        {"redft01 5", "dct3 5"},
        {"redft11 5", "dct4 5"},
        {"rodft00 5", "dst1 5"},
        {"rodft10 5", "dst2 5"},
        {"rodft01 5", "dst3 5"},
        {"rodft11 5", "dst4 5"},
        {"hartley 5", "dht 5"},
        {"r2hc,rodft11,hartley 4x5x6 inplace batch=2", "r2hc,dst4,dht 4x5x6 inplace batch=2"},
        {"dct2,redft10 4x5 scale=2", "dct2 4x5 scale=2"},
        {"dht 4 norm=ortho", "dht 4 scale=0.5"},
        {"convolution 64 spectrum=shared batch=3", "convolution 64 batch=3"},
        {"convolution 64 spectrum=each scale=2", "convolution 64 scale=2 spectrum=each"},
        {"rconvolution 64 spectrum=each complex64", "rconvolution 64 float32 spectrum=each"},
    };
    for (const auto& [text, expected] : canonical) EXPECT_EQ(to_text(parse_transform(text)), expected);
}

TEST(ProblemText, NamesEveryKind) {
    for (const char* text :
         {"dft 4",  "rdft 4", "wht 4",  "wht_dyadic 4",  "wht_sequency 4", "dct1 4",       "dct2 4",
          "dct3 4", "dct4 4", "dst1 4", "dst2 4",        "dst3 4",         "dst4 4",       "dct5 4",
          "dct6 4", "dct7 4", "dct8 4", "dst5 4",        "dst6 4",         "dst7 4",       "dst8 4",
          "dht 4",  "r2hc 4", "hc2r 4", "convolution 4", "rconvolution 4", "dct2,dst3 4x4"})
        EXPECT_EQ(to_text(parse_transform(text)), text);
    EXPECT_STREQ(name_of(TransformKind::real_dft), "rdft");
    EXPECT_STREQ(name_of(Placement::in_place), "inplace");
}

TEST(ProblemText, PrintsProblemsWhoseDefaultStridesOverflow) {
    Transform problem = Transform::dft({2, 2, 2});
    for (Dimension& dimension : problem.dimensions) dimension.length = Integer{1} << 40;
    EXPECT_EQ(to_text(problem), "dft 1099511627776x1099511627776x1099511627776 strides=(4,2,1)");
    EXPECT_EQ(parse_transform(to_text(problem)), problem);
}

TEST(SyntaxError, ShowsLineCaretAndExpectation) {
    try {
        parse_transform("dft 16xq backward");
        FAIL();
    } catch (const SyntaxError& error) {
        EXPECT_STREQ(error.what(),
                     "cannot read the problem: expected a length, such as 64 or 2^10\n"
                     "  dft 16xq backward\n"
                     "         ^");
        EXPECT_EQ(error.position(), 7U);
    }
}

TEST(SyntaxError, CountsCharactersNotBytesAndKeepsToOneLine) {
    try {
        parse_transform("dft 8\n\tφφ");
        FAIL();
    } catch (const SyntaxError& error) {
        const std::string message = error.what();
        EXPECT_EQ(message.substr(message.find('\n')), "\n  dft 8  φφ\n         ^");
    }
    try {
        parse_transform("dft 8 in=φ");
        FAIL();
    } catch (const SyntaxError& error) {
        EXPECT_EQ(error.position(), 9U);
    }
}

std::string ones(int count) {
    std::string text = "1";
    for (int k = 1; k < count; ++k) text += "x1";
    return text;
}

TEST(ProblemText, LimitsDimensionsAndLoops) {
    EXPECT_EQ(problem("dft " + ones(64) + " batch=" + ones(64)).dimensions.size(), most_dimensions);
    for (const std::string& text : {"dft " + ones(100000), "dft 8 batch=" + ones(20000)}) {
        try {
            parse_transform(text);
            FAIL();
        } catch (const SyntaxError& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find("at most 64"), std::string::npos);
            EXPECT_LT(message.size(), 500U) << "a long text is shown around the mistake only";
        }
    }
    EXPECT_THROW(Transform::dft(std::vector<Integer>(65, 1)), UserError);
    EXPECT_THROW(Transform::dft({8}, {.batches = std::vector<Batch>(65)}), UserError);
    Transform whole = problem("dft 8");
    whole.dimensions.resize(65);
    EXPECT_THROW(validate(whole), UserError);
}

/// A text, the position of its error, and a phrase of the expectation there.
struct Mistake {
    const char* text;
    std::size_t position;
    const char* expected;
};

const Mistake mistakes[] = {
    {"", 0, "a transform, one of dft rdft wht"},
    {"fht 8", 0, "a transform"},
    {"DFT 8", 0, "a transform"},
    {"dft8", 0, "a transform"},
    {"dft,8", 3, "a space after the transform"},
    {"dft", 3, "a length"},
    {"dft forward", 4, "a length"},
    {"dft 8x", 6, "a length"},
    {"dft 8*8", 5, "'x' and another length"},
    {"dft 2^", 6, "an exponent"},
    {"dft 2^64", 4, "fits in 64 bits"},
    {"dft 2^-1", 4, "exponents are not negative"},
    {"dft 99999999999999999999", 4, "fits in 64 bits"},
    {"dft 8 sideways", 6, "an option, one of forward backward"},
    {"dft 8 size=3", 6, "an option"},
    {"dft 8 =3", 6, "an option"},
    {"dft 8 forward backward", 14, "one direction only"},
    {"dft 8 float32 float32", 14, "one precision only"},
    {"dft 8 planar planar", 13, "one layout only"},
    {"dft 8 inplace outofplace", 14, "one placement only"},
    {"dft 8 in=1 strides=1", 11, "strides of the input once only"},
    {"dft 8 strides=1 out=1", 16, "strides of the output once only"},
    {"dft 8 batch=2 batch=2", 14, "one batch= only"},
    {"dft 8 scale=2 scale=2", 14, "one scale only"},
    {"dft 8 in=", 9, "a stride"},
    {"dft 8x8 in=8", 11, "'(' and a stride for each dimension"},
    {"dft 8x8 in=(8)", 13, "',' and the stride of dimension 1"},
    {"dft 8x8 in=(8,)", 14, "the stride of dimension 1"},
    {"dft 8x8 in=(8,1,1)", 15, "')' after the stride of the last dimension"},
    {"dft 8 in=(1", 11, "')'"},
    {"dft 8 in=2out=2", 10, "a space before the next option"},
    {"dft 8 batch=", 12, "a number of transforms"},
    {"dft 8 batch=2:", 14, "the stride of the batch"},
    {"dft 8 batch=2:(8)", 16, "',' and the output stride of the batch"},
    {"dft 8 batch=2:(8,8", 18, "')' after the output stride"},
    {"dft 8 batch=2x", 14, "a number of transforms"},
    {"dft 8 scale=", 12, "a number, such as 0.5"},
    {"dft 8 scale=1/", 14, "a number, such as 0.5"},
    {"dft 8 scale=1e999", 12, "within the range of float64"},
    {"dft 2x2^40x2^40", 4, "fit in 64 bits"},
    {"convolution 8 spectrum=", 23, "one of shared each"},
    {"convolution 8 spectrum=each spectrum=each", 28, "spectrum= once only"},
};

TEST(SyntaxError, PointsAtEveryKindOfMistake) {
    for (const Mistake& mistake : mistakes) {
        try {
            parse_transform(mistake.text);
            ADD_FAILURE() << mistake.text;
        } catch (const SyntaxError& error) {
            EXPECT_EQ(error.position(), mistake.position) << error.what();
            EXPECT_NE(std::string(error.what()).find(mistake.expected), std::string::npos) << error.what();
        }
    }
}

TEST(SyntaxError, IsAllThatRandomDamageCauses) {
    RandomProblems random(2);
    for (int i = 0; i < 20000; ++i) {
        std::string text = to_text(random());
        for (Integer edits = random.integer(1, 3); edits > 0; --edits) {
            const auto at =
                static_cast<std::size_t>(random.integer(0, static_cast<Integer>(text.size()) - 1));
            if (random.chance(50))
                text[at] = static_cast<char>(random.integer(0, 255));
            else
                text.erase(at, 2);
            if (text.empty()) break;
        }
        try {
            const Transform problem = parse_transform(text);
            EXPECT_EQ(parse_transform(to_text(problem)), problem) << text;
        } catch (const SyntaxError& error) {
            EXPECT_LE(error.position(), text.size());
        }
    }
}

} // namespace syntax_test
} // namespace swirl
