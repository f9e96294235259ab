// The benchmark on a driver without a GPU, whose kernels do nothing: swirl's results are wrong, those of a peer are those of its
// stand-in, which computes by the definition.

#include "cli/bench_program.hpp"
#include "support/fake_cuda.hpp"

#include <fmt/format.h>

#include <tuple>

namespace swirl {
namespace bench_on_gpu_test {

using nlohmann::json;

class BenchOnGpu : public support::BenchProgram {
protected:
    BenchOnGpu() {
        use(support::fake_cuda_library(12080), SWIRL_BINARY_DIR "/fake_drivers/libcufft_by_definition.so",
            SWIRL_BINARY_DIR "/fake_drivers/libcublas_by_definition.so");
    }
    void use(const std::string& driver, const std::string& cufft, const std::string& cublas) {
        environment_ =
            "SWIRL_FAKE_CUDA_MIB=96 SWIRL_VKFFT=/nowhere.so SWIRL_KERNEL_CACHE=off SWIRL_CUDA_DRIVER=" +
            support::quoted(driver) + " SWIRL_CUFFT=" + support::quoted(cufft) +
            " SWIRL_CUBLAS=" + support::quoted(cublas);
    }
    std::vector<json> gpu_rows(const std::string& arguments) {
        return rows("--device gpu --no-check " + arguments);
    }
};

TEST_F(BenchOnGpu, SaysWhatIsMissing) {
    use("/nowhere.so", "", "");
    const auto outcome = run("--device gpu 'dft 64'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("there is no NVIDIA driver"), std::string::npos) << outcome.errors;
    use(support::fake_cuda_library(12080), "/nowhere/libcufft.so", "/nowhere/libcublas.so");
    auto results = gpu_rows("'dft 64' 'gemm 4x4x4'");
    ASSERT_EQ(results.size(), 2U);
    for (const auto& [row, peer, variable] :
         {std::tuple(0U, "cufft", "SWIRL_CUFFT"), std::tuple(1U, "cublas", "SWIRL_CUBLAS")}) {
        const std::string reason = results[row]["absent"][peer];
        EXPECT_NE(reason.find(variable), std::string::npos) << reason;
    }
    EXPECT_NE(results.at(0)["absent"]["vkfft"].get<std::string>().find("/nowhere.so was not found"),
              std::string::npos);
}

TEST_F(BenchOnGpu, ComparesTransformsOfEveryLayoutWithTheDefinition) {
    auto results = gpu_rows(
        "'dft 64 float32 batch=5' 'dft 60 backward batch=3' 'dft 8x6 batch=4' 'dft 4x6x8 float32 backward' "
        "'rdft 30 batch=3' 'rdft 16 backward float32 batch=4' 'rdft 15 backward' 'dft 16 strides=5 "
        "batch=5:1' "
        "'dft 12 in=2 out=3 batch=4:(24,40)' 'dft 16 inplace'");
    ASSERT_EQ(results.size(), 10U) << outcome_.errors;
    EXPECT_EQ(run_["machine"]["gpu"], "Fake H100");
    for (json row : results) {
        const bool is_single = row["problem"].get<std::string>().find("float32") != std::string::npos;
        json peer = row["libraries"]["cufft"];
        EXPECT_LT(peer["distance"], is_single ? 1e-6 : 1e-13) << row;
        EXPECT_GT(peer["median"], 0) << row;
        EXPECT_TRUE(row["libraries"]["swirl"]["wrong"]) << row << ": kernels that do nothing";
    }
    EXPECT_EQ(outcome_.status, 1);
    EXPECT_NE(outcome_.errors.find("10 results are wrong"), std::string::npos) << outcome_.errors;
}

TEST_F(BenchOnGpu, ComparesProductsWithTheDefinition) {
    auto results = gpu_rows(
        "'gemm 20x13x17 float32' 'gemm 20x13x17 float32 b=rows' 'gemm 5x3x2 float32 a=rows b=rows' "
        "'gemm 9x30x11 a=rows' 'gemm 7x16x31 float32 a=bfloat16 b=rows,bfloat16' "
        "'gemm 7x16x31 float32 a=rows,float16 b=float16' "
        "'gemm 16x24x33 float32 a=rows,float8_e4m3 b=float8_e4m3' 'gemm 4x5x6 float32 b=rows batch=7'");
    ASSERT_EQ(results.size(), 8U) << outcome_.errors;
    const char* const routines[] = {"Sgemm",  "Sgemm",  "Sgemm",    "Dgemm",
                                    "GemmEx", "GemmEx", "LtMatmul", "SgemmStridedBatched"};
    std::string made_by; // written where it changes
    for (std::size_t k = 0; k < results.size(); ++k) {
        json peer = results.at(k)["libraries"]["cublas"];
        made_by = peer.value("made_by", made_by);
        EXPECT_EQ(made_by, fmt::format("cuBLAS 1.2.3, libcublas_by_definition.so, cublas{}", routines[k]));
        EXPECT_LT(peer["distance"], k == 3 ? 1e-15 : 1e-7) << results.at(k);
        EXPECT_TRUE(results.at(k)["libraries"]["swirl"]["wrong"])
            << results.at(k) << ": kernels that do nothing";
    }
    EXPECT_EQ(outcome_.status, 1);
    auto rounded = gpu_rows("--accuracy eleven-bits 'gemm 8x9x10 float32'");
    EXPECT_EQ(run_["accuracy"], "eleven-bits");
    EXPECT_GT(rounded.at(0)["libraries"]["cublas"]["median"], 0) << rounded;
}

TEST_F(BenchOnGpu, ColdRunsAlternateArrays) {
    for (json row : gpu_rows("--cold 'gemm 16x1x64 float32' 'dft 256 float32'"))
        for (const char* peer : {"cublas", "cufft"})
            if (row["libraries"].contains(peer)) {
                EXPECT_GT(row["libraries"][peer]["median"], 0) << row;
            }
}

TEST_F(BenchOnGpu, GoesOnWhereALibraryHasNoPlan) {
    auto results = gpu_rows(
        "--peers cufft,cublas,cublas-emulated 'dft 64 planar' 'gemm 8x8x8 float32 a=float8_e4m3 "
        "b=float8_e4m3' "
        "'gemm 8x8x8 float32' 'gemm 4x4x4 batch=2'");
    ASSERT_EQ(results.size(), 4U) << outcome_.errors;
    EXPECT_EQ(results.at(0)["absent"]["cufft"], "cuFFT has no planar data");
    EXPECT_EQ(results.at(1)["absent"]["cublas"],
              "cublasLtMatmulAlgoGetHeuristic gives error 15 (CUBLAS_STATUS_NOT_SUPPORTED)");
    EXPECT_EQ(results.at(2)["absent"]["cublas-emulated"],
              "cublasGemmEx gives error 15 (CUBLAS_STATUS_NOT_SUPPORTED)");
    EXPECT_GT(results.at(2)["libraries"]["cublas"]["median"], 0) << results.at(2);
    EXPECT_EQ(results.at(3)["absent"]["cublas"], "cuBLAS is compared in batches of float32 only");
}

TEST_F(BenchOnGpu, TimesWhatTheModelRatesBest) {
    for (const char* problem : {"'dft 256 float32'", "'gemm 64x64x64 float32'"}) {
        auto best = gpu_rows(std::string("--peers none --candidates 3 ") + problem);
        ASSERT_EQ(best.size(), 1U) << outcome_.errors;
        const std::string first = best.at(0)["libraries"]["swirl"]["made_by"];
        const std::string second = best.at(0)["libraries"]["swirl 2"]["made_by"];
        EXPECT_NE(first, second);
        auto given = gpu_rows("--peers none --schedule " + support::quoted(second) + " --schedule nonsense " +
                              problem);
        EXPECT_EQ(given.at(0)["libraries"]["swirl"]["made_by"], second);
        EXPECT_TRUE(given.at(0)["absent"].contains("swirl 2")) << given.at(0);
    }
}

} // namespace bench_on_gpu_test
} // namespace swirl
