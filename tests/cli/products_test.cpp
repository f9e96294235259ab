#include "run_swirl.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace swirl {
namespace products_test {

TEST(Products, ArePlannedInWordsAndJson) {
    const auto outcome = run_swirl("plan gemm 1000x1000x1000 float32 b=rows");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* word : {"gemm 1000x1000x1000 float32 b=rows", "plan", "flops", "2000000000"})
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word << "\n" << outcome.output;
    const auto json = nlohmann::json::parse(run_swirl("plan --json gemm 8x8x8").output);
    EXPECT_EQ(json["problem"], "gemm 8x8x8 float64");
    EXPECT_EQ(json["flops"], 1024);
}

TEST(Products, AreShownAtEveryStage) {
    for (const char* stage : {"ir", "machine-ir", "c++", "asm"})
        for (const char* product : {"gemm 4x5x6", "gemm 700x700x700 complex64 'epilogue=conj(x) + i'"}) {
            const auto outcome = run_swirl(std::string("show ") + product + " --stage " + stage);
            EXPECT_EQ(outcome.status, 0) << stage << " " << outcome.errors;
            EXPECT_NE(outcome.output.find("gemm_"), std::string::npos) << stage;
        }
    EXPECT_EQ(run_swirl("show gemm 4x4x4 --stage ptx").status, 2);
}

/// What happens to finished elements in memory is code like the rest.
TEST(Products, ShowAndEmitWhatIsDoneToFinishedElements) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "finished.cpp").string();
    const std::string reduced =
        "gemm 70x60x50 float32 c=rows,uint8 'reduce=amax:max:columns:abs(x)' reduce=total:sum:all";
    const std::string scattered = "gemm 70x60x50 float32 c=2:200 'epilogue=max(0, x + bias[i])'";
    struct Case {
        std::string product;
        std::vector<std::string> kernels;
    };
    for (const Case& each : {Case{reduced, {"gemm_reduce_0", "gemm_reduce_1", "gemm_store"}},
                             Case{scattered, {"gemm_epilogue"}}}) {
        const auto shown = run_swirl("show " + each.product + " --stage ir");
        const auto planned = run_swirl("plan " + each.product);
        EXPECT_EQ(run_swirl("emit " + each.product + " -o " + file).status, 0);
        const auto compiled = support::run_command(support::quoted(SWIRL_CXX_COMPILER) +
                                                   " -std=c++17 -O1 -fsyntax-only " + file);
        EXPECT_EQ(compiled.status, 0) << compiled.errors;
        for (const std::string& kernel : each.kernels) {
            EXPECT_NE(shown.output.find(kernel), std::string::npos) << kernel << shown.errors;
            EXPECT_NE(planned.output.find(kernel), std::string::npos) << kernel << planned.errors;
        }
    }
}

TEST(Products, AreVerified) {
    for (const char* product :
         {"gemm 70x60x50", "gemm 5x6x7 complex128 a=conj c=rows batch=3", "gemm 0x3x2", "gemm 3x4x0",
          "gemm 400x390x500 float32 'epilogue=max(0, x + bias[i]) * s[]'", "gemm 33x20x9 c=2:100",
          "gemm 90x70x50 float32 batch=2 'reduce=amax:max:columns:abs(x)' 'reduce=w:sum:rows:x*w2[i]' "
          "'epilogue=x + bias[i]'",
          "gemm 9x8x7 complex128 'reduce=all:sum:all:abs2(x)'"}) {
        const auto outcome = run_swirl(std::string("verify ") + product);
        EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
        EXPECT_NE(outcome.output.find("ok"), std::string::npos) << outcome.output;
    }
    EXPECT_EQ(run_swirl("verify gemm 40x40x40 --tolerance 0").status, 1);
}

TEST(Products, AreTimed) {
    const auto json =
        nlohmann::json::parse(run_swirl("bench gemm 20x20x20 --peers none --seconds 0.01 --json").output);
    EXPECT_GT(json["entries"][0]["gflops"], 0);
}

TEST(Products, BecomeCppThatRuns) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "product").string();
    const auto written =
        run_swirl("emit gemm 3x4x5 b=rows --function product --header " + file + ".h -o " + file + ".cpp");
    ASSERT_EQ(written.status, 0) << written.errors;
    std::ofstream(file + "_main.cpp") << R"(
#include "product.h"
#include <cstdio>
int main() {
    double a[15], b[20], c[12], one = 1, zero = 0;
    for (int k = 0; k < 15; ++k) a[k] = k % 7 - 3;
    for (int k = 0; k < 20; ++k) b[k] = k % 5 - 2;
    product(a, b, c, &one, &zero);
    int wrong = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            double sum = 0;
            for (int k = 0; k < 5; ++k) sum += a[i + 3 * k] * b[4 * k + j];
            wrong += c[i + 3 * j] != sum;
        }
    std::printf("%d wrong\n", wrong);
})";
    const auto run = support::run_command(support::quoted(SWIRL_CXX_COMPILER) + " -std=c++17 -O1 -o " + file +
                                          " " + file + "_main.cpp " + file + ".cpp && " + file);
    EXPECT_EQ(run.output, "0 wrong\n") << run.errors;
    EXPECT_EQ(run_swirl("emit gemm 900x900x900 -o " + file + "_tiles.cpp").status, 0);
    EXPECT_EQ(run_swirl("emit gemm 900x900x900 --header " + file + ".h").status, 2);
}

TEST(Products, SayWhatIsWrong) {
    for (const char* words :
         {"plan gemm 3x3", "plan gemm 3x3x3 a=up", "verify gemm 3x3x3 --cpu neon",
          "emit gemm 3x3x3 complex64 --language cuda", "plan gemm 3x3x3 'epilogue=x + w[k]'"}) {
        const auto outcome = run_swirl(words);
        EXPECT_EQ(outcome.status, 2) << words;
        EXPECT_NE(outcome.errors.find("swirl: "), std::string::npos);
    }
}

TEST(BlasRoutines, ShowTheirKernels) {
    const auto text = [](const std::string& what) {
        const auto outcome = run_swirl("show " + what + " --cpu avx2");
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return outcome.output;
    };
    const std::string solve = text("dtrsm LLNN 100x302");
    EXPECT_NE(solve.find("program pack_triangle"), std::string::npos) << solve;
    EXPECT_NE(solve.find("program solve_strip"), std::string::npos);
    EXPECT_NE(solve.find("argument quality"), std::string::npos) << "reciprocals are examined";
    EXPECT_EQ(text("strmm RUTU 20x8").find("quality"), std::string::npos);
    EXPECT_NE(text("zhemm LU 10x10 --stage asm").find("mirror"), std::string::npos);
    EXPECT_NE(text("dtrsm LLNN 4x4 --stage machine-ir").find("solve_strip"), std::string::npos);
    for (const char* wrong : {"dtrsm LL 4x4", "dtrsm LLXN 4x4", "dtrsm LLNN 4", "dtrsm LLNN"})
        EXPECT_EQ(run_swirl(std::string("show ") + wrong).status, 2) << wrong;
}

TEST(Products, WithoutKShowHowCIsScaled) {
    const auto outcome = run_swirl("show gemm 10x7x0 --cpu avx2");
    EXPECT_NE(outcome.output.find("program gemm_scale"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("program gemm_clear"), std::string::npos);
}

} // namespace products_test
} // namespace swirl
