#include <swirl/error.hpp>
#include <swirl/problem.hpp>

#include "problem/suggestion.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace swirl {
namespace problem_text_test {

std::string error_of_text(std::string_view text) {
    try {
        parse_problem(text);
    } catch (const SyntaxError& error) {
        return error.what();
    }
    return "";
}

TEST(ProblemOfEitherKind, IsDecidedByTheFirstWord) {
    EXPECT_TRUE(std::holds_alternative<Transform>(parse_problem("  dft 8")));
    EXPECT_TRUE(std::holds_alternative<MatrixProduct>(parse_problem("gemm 2x3x4")));
    for (const char* text :
         {"rdft 16x8 backward float32 batch=10 scale=0.5", "gemm 100x80x60 float32 a=rows batch=4",
          "gemm 2x3x4 int32 a=int8 b=uint8 c=float32"}) {
        const Problem problem = parse_problem(text);
        EXPECT_EQ(to_text(problem), text);
        EXPECT_NO_THROW(validate(problem));
    }
    EXPECT_THROW(validate(parse_problem("gemm -2x3x4")), UserError);
    EXPECT_EQ(arrays_of(parse_problem("gemm 2x3x4 reduce=most:max:all epilogue=x + bias[i]")).size(), 2U);
}

TEST(ProblemOfEitherKind, TakesTheNamesOfOtherLibraries) {
    const std::pair<const char*, const char*> same[] = {
        {"fft 8", "dft 8"},
        {"fft 8 inverse", "dft 8 backward"},
        {"c2c 8x4 single", "dft 8x4 float32"},
        {"rfft 8 double", "rdft 8"},
        {"r2c 8 half", "rdft 8 float16"},
        {"c2r 8", "rdft 8 backward"},
        {"ifft 8", "dft 8 backward scale=0.125"},
        {"irfft 4x4", "rdft 4x4 backward scale=0.0625"},
        {"ifft 8 scale=1", "dft 8 backward"},
        {"ifft 8 norm=forward", "dft 8 backward"},
        {"fft 8 norm=forward", "dft 8 scale=0.125"},
        {"fft 4x4 norm=ortho", "dft 4x4 scale=0.25"},
        {"ifft 4x4 norm=ortho", "dft 4x4 backward scale=0.25"},
        {"norm=ortho", nullptr},
        {"fft 8 complex64", "dft 8 float32"},
        {"fft 8 complex128 split", "dft 8 planar"},
        {"matmul 2x3x4", "gemm 2x3x4 float64"},
        {"sgemm 2x3x4", "gemm 2x3x4 float32"},
        {"dgemm 2x3x4", "gemm 2x3x4 float64"},
        {"cgemm 2x3x4", "gemm 2x3x4 complex64"},
        {"zgemm 2x3x4", "gemm 2x3x4 complex128"},
        {"gemm 2x3x4 single a=rows,half b=half", "gemm 2x3x4 float32 a=rows,float16 b=float16"},
    };
    for (const auto& [text, expected] : same) {
        if (expected == nullptr)
            EXPECT_NE(error_of_text(text), "");
        else
            EXPECT_EQ(to_text(parse_problem(text)), expected) << text;
    }
}

TEST(ProblemOfEitherKind, SaysWhatMayHaveBeenMeant) {
    const std::pair<const char*, const char*> suggested[] = {
        {"dtf 8", "did you mean 'dft'?"},
        {"gem 2x3x4", "did you mean 'gemm'?"},
        {"dft 8 bakward", "did you mean 'backward'?"},
        {"dft 8 flaot32", "did you mean 'float32'?"},
        {"dft 8 batches=3", "did you mean 'batch'?"},
        {"gemm 2x3x4 epilog=x", "did you mean 'epilogue'?"},
        {"gemm 2x3x4 dubble", "did you mean 'double'?"},
    };
    for (const auto& [text, words] : suggested)
        EXPECT_NE(error_of_text(text).find(words), std::string::npos) << text << "\n" << error_of_text(text);
    EXPECT_EQ(error_of_text("dft 8 sideways").find("did you mean"), std::string::npos);
    EXPECT_NE(error_of_text("ifft 8 forward").find("one direction only"), std::string::npos);
    EXPECT_NE(error_of_text("fft 8 norm=ortho scale=2").find("one scale only"), std::string::npos);
    EXPECT_NE(error_of_text("dct2 8 norm=ortho").find("scale="), std::string::npos);
    EXPECT_NE(error_of_text("sgemm 2x3x4 float64").find("one data type only"), std::string::npos);
}

TEST(ProblemOfEitherKind, KeepsTheBatchStridesOfProducts) {
    MatrixProduct product = MatrixProduct::row_major(DataType::float32, 3, 4, 5);
    product.batch = 7;
    product.a.batch_stride = 100;
    product.b.batch_stride = 0;
    product.c.batch_stride = -12;
    EXPECT_EQ(to_text(product), "gemm 3x4x5 float32 a=rows,step:100 b=rows,shared c=rows,step:-12 batch=7");
    EXPECT_EQ(parse_problem(to_text(product)), Problem(product));
}

TEST(DidYouMean, FindsTheNearestWord) {
    constexpr std::string_view known[] = {"forward", "backward", "float32", "float64"};
    EXPECT_EQ(did_you_mean("foward", known), "; did you mean 'forward'?");
    EXPECT_EQ(did_you_mean("float23", known), "; did you mean 'float32'?");
    EXPECT_EQ(did_you_mean("x", known), "");
    EXPECT_EQ(did_you_mean("", known), "");
    EXPECT_EQ(did_you_mean(std::string(1000, 'f'), known), "");
}

} // namespace problem_text_test
} // namespace swirl
