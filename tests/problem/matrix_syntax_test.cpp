#include <swirl/matrix_product.hpp>

#include <swirl/element.hpp>
#include <swirl/error.hpp>

#include <gtest/gtest.h>

namespace swirl {
namespace matrix_syntax_test {

TEST(MatrixSyntax, ReadsWhatItWrites) {
    for (const char* text :
         {"gemm 100x80x60 float64", "gemm 1x2x3 float32 a=rows b=3:7 c=rows",
          "gemm 4x5x6 complex64 a=conj b=rows,conj batch=7", "gemm 4x5x6 complex128 b=conj,shared batch=2",
          "gemm 8x8x8 float64 c=2:16 epilogue=\"max(0, x + bias[i])\"", "gemm 0x3x0 float64",
          "gemm 4x5x6 float32 a=bfloat16 b=rows,bfloat16 c=2:16,float16 batch=2",
          "gemm 4x5x6 float32 reduce=amax:max:columns:\"abs(x)\" reduce=all:sum:all epilogue=\"2 * x\"",
          "gemm 4x5x6 float32 batch=2 reduce=least:min:rows",
          "gemm 4x5x6 int32 a=int8 b=shared,uint8 c=float32 batch=3"}) {
        const MatrixProduct product = parse_matrix_product(text);
        EXPECT_EQ(to_text(product), text);
        EXPECT_EQ(parse_matrix_product(to_text(product)), product);
    }
    EXPECT_EQ(parse_matrix_product("gemm 10x20x30"),
              MatrixProduct::column_major(DataType::float64, 10, 20, 30));
    EXPECT_EQ(parse_matrix_product("gemm 10x20x30 a=rows b=rows c=rows float32"),
              MatrixProduct::row_major(DataType::float32, 10, 20, 30));
    EXPECT_EQ(parse_matrix_product("gemm 2x2x2 epilogue=x + bias[i]").epilogue.text(), "x + bias[i]");
    EXPECT_EQ(parse_matrix_product("gemm 2x2x2 reduce=a:sum:all:x*x epilogue=x+1").reductions,
              std::vector<Reduction>{(Reduction{"a", Reduce::sum, Over::all, Expression("x * x")})});
}

TEST(MatrixSyntax, ComplexTypesNameTheElementSize) {
    EXPECT_EQ(parse_matrix_product("gemm 2x2x2 complex64").data_type, data_type_of<std::complex<float>>());
    EXPECT_EQ(parse_matrix_product("gemm 2x2x2 complex128").data_type, data_type_of<std::complex<double>>());
    EXPECT_THROW(parse_matrix_product("gemm 2x2x2 complex32"), SyntaxError);
}

TEST(MatrixSyntax, RejectsSizesBeyond64Bits) {
    for (const char* text :
         {"gemm 9223372036854775807x9223372036854775807x1", "gemm 2x2x2 a=-9223372036854775808:1",
          "gemm 1x1x1 batch=1,lists:4294967300", "gemm 1x1x1 reduce=a b:max:columns"})
        EXPECT_THROW(parse_matrix_product(text), SyntaxError) << text;
}

TEST(MatrixSyntax, ShowsWhatIsWrongWhere) {
    const std::pair<const char*, std::size_t> wrong[] = {{"gem 2x2x2", 0},
                                                         {"gemm 2x2", 8},
                                                         {"gemm 2x2x2 half", 11},
                                                         {"gemm 2x2x2 a=up", 13},
                                                         {"gemm 2x2x2 a=2", 14},
                                                         {"gemm 2x2x2 a=rows,bytes", 18},
                                                         {"gemm 2x2x2 reduce=a", 19},
                                                         {"gemm 2x2x2 reduce=a:mean:all", 20},
                                                         {"gemm 2x2x2 reduce=a:sum:both", 24},
                                                         {"gemm 2x2x2 reduce=a:sum:all:\"x", 29},
                                                         {"gemm 2x2x2 epilogue=x +", 23}};
    for (const auto& [text, position] : wrong) {
        try {
            parse_matrix_product(text);
            ADD_FAILURE() << text;
        } catch (const SyntaxError& error) {
            EXPECT_EQ(error.position(), position) << text;
        }
    }
}

} // namespace matrix_syntax_test
} // namespace swirl
