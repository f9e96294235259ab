#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace swirl {
namespace products_benchmark_test {

using nlohmann::json;

constexpr const char* program = SWIRL_BINARY_DIR "/bin/bench_cpu_products";

class ProductsBenchmark : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    }

    /// The benchmark, with the peers that are in the folder.
    support::Outcome run(const std::string& arguments) const {
        return support::run_command("SWIRL_PEERS=" + support::quoted(folder_.path().string()) +
                                    " SWIRL_BLAS=" + support::quoted(blas_) + " " + support::quoted(program) +
                                    " " + arguments);
    }
    json measured(const std::string& arguments) const {
        const std::string file = (folder_.path() / "results.json").string();
        const auto outcome = run(arguments + " --rounds 2 --seconds 0.1 --json " + support::quoted(file));
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return json::parse(std::ifstream(file));
    }

    /// A library of the BLAS: dgemm_ and dtrsm_ by the definition, sgemm_ of which an element is wrong.
    std::string compile_blas(const std::filesystem::path& file) const {
        const std::filesystem::path source = folder_.path() / "blas.c";
        std::ofstream(source) << R"(
#define GEMM(name, T, mistake)                                                                              \
    void name(const char* ta, const char* tb, const int* m, const int* n, const int* k, const T* alpha,       \
              const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc) {  \
        for (int j = 0; j < *n; ++j)                                                                          \
            for (int i = 0; i < *m; ++i) {                                                                    \
                T sum = mistake;                                                                              \
                for (int l = 0; l < *k; ++l) sum += a[i + l * *lda] * b[l + j * *ldb];                        \
                c[i + j * *ldc] = *alpha * sum;                                                               \
            }                                                                                                 \
    }
GEMM(dgemm_, double, 0)
GEMM(sgemm_, float, i == 3)
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb) {
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i) {
            double sum = *alpha * b[i + j * *ldb];
            for (int l = 0; l < i; ++l) sum -= a[i + l * *lda] * b[l + j * *ldb];
            b[i + j * *ldb] = sum / a[i + i * *lda];
        }
}
)";
        std::filesystem::create_directories(file.parent_path());
        const auto outcome =
            support::run_command(support::quoted(SWIRL_C_COMPILER) + " -O3 -shared -fPIC -o " +
                                 support::quoted(file.string()) + " " + support::quoted(source.string()));
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return file.string();
    }

    const TemporaryFolder folder_;
    std::string blas_ = "/nowhere/libswirl_blas.so";
};

const json& row_of(const json& report, std::size_t result, const std::string& call) {
    for (const json& row : report["results"][result]["rows"])
        if (row["call"] == call) return row;
    static const json none;
    ADD_FAILURE() << "no " << call << " in " << report["results"][result];
    return none;
}

TEST_F(ProductsBenchmark, MeasuresSwirlAndThePeakWithoutPeers) {
    const json report = measured("--group small,cold --only 'gemm 8'");
    ASSERT_EQ(report["results"].size(), 4U) << "two groups in two precisions";
    for (const json& result : report["results"]) {
        const json& row = result["rows"][0];
        ASSERT_EQ(row["entries"].size(), 2U) << row;
        EXPECT_EQ(row["entries"][0]["name"], "swirl");
        EXPECT_EQ(row["entries"][0]["flops"], 1024.0);
        EXPECT_LT(row["entries"][0]["error"], 1e-6);
        EXPECT_EQ(row["entries"][1]["name"], "peak");
        EXPECT_EQ(row["entries"][1]["of_peak"], 1.0);
        EXPECT_LE(row["entries"][0]["minimum_seconds"], row["entries"][0]["median_seconds"]);
        EXPECT_TRUE(row["absent"].contains("libxsmm")) << row;
    }
}

TEST_F(ProductsBenchmark, ComparesWithALibraryAndLeavesOutWrongResults) {
    compile_blas(folder_.path() / "openblas" / "lib" / "libopenblas.so.0");
    const json report = measured("--group blas --only 'gemm 5' --peers openblas");
    const json& right = row_of(report, 0, "dgemm 5");
    ASSERT_EQ(right["entries"].size(), 3U) << right;
    EXPECT_EQ(right["entries"][1]["name"], "openblas");
    EXPECT_GT(right["entries"][1]["swirl_is"], 0.0);
    EXPECT_EQ(report["results"][0]["summary"][0]["against"], "OpenBLAS");
    EXPECT_EQ(report["results"][0]["summary"][0]["calls"], 1);
    const std::string wrong = row_of(report, 1, "sgemm 5")["absent"]["openblas"];
    EXPECT_NE(wrong.find("wrong by"), std::string::npos) << wrong;
}

TEST_F(ProductsBenchmark, CallsSwirlsBlasWhereThereIsOne) {
    blas_ = compile_blas(folder_.path() / "libswirl_blas.so");
    const json report = measured("--group level3 --only 'dtrsm 1000' --peers none");
    const json& row = row_of(report, 0, "dtrsm 1000");
    EXPECT_EQ(row["entries"][0]["name"], "swirl");
    EXPECT_EQ(row["entries"][0]["made_by"], "libswirl_blas");
    EXPECT_EQ(row["entries"][0]["flops"], 1e9);
    EXPECT_EQ(row["entries"][1]["name"], "swirl-gemm");
    EXPECT_EQ(row["entries"][1]["flops"], 2e9);
}

TEST_F(ProductsBenchmark, ComparesThreadsWithOne) {
    const json report = measured("--group skinny --only 'dgemm 1000x1000x16' --peers none --threads 2");
    std::vector<std::string> names;
    for (const json& entry : row_of(report, 0, "dgemm 1000x1000x16")["entries"])
        names.push_back(entry["name"]);
    EXPECT_EQ(names, (std::vector<std::string>{"swirl", "peak", "swirl-one-thread", "peak-one-thread"}));
}

TEST_F(ProductsBenchmark, NamesWhatItDoesNotKnow) {
    for (const auto& [arguments, complaint] :
         {std::pair("--group round", "--group has 'round'; use square, small"),
          std::pair("--peers atlas", "--peers has 'atlas'; use none, openblas"),
          std::pair("--group square,avx2", "avx2 is measured by itself")}) {
        const auto outcome = run(arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        EXPECT_NE(outcome.errors.find(complaint), std::string::npos) << outcome.errors;
    }
}

} // namespace products_benchmark_test
} // namespace swirl
