#include "cli/gpu_benchmark_fixture.hpp"

namespace swirl {
namespace gpu_products_benchmark_test {

using nlohmann::json;

class GpuProductsBenchmark : public support::GpuBenchmarkProgram {
protected:
    GpuProductsBenchmark()
        : GpuBenchmarkProgram("bench_gpu_products", "SWIRL_CUBLAS", "libcublas_by_definition.so",
                              "SWIRL_FAKE_CUDA_MIB=512") {}
};

TEST_F(GpuProductsBenchmark, SaysWhatIsMissing) {
    outcome = run_with("/nowhere.so", "", "--product 'sgemm NN 4x4x4'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("there is no NVIDIA driver"), std::string::npos) << outcome.errors;
    const json rows = rows_of("--product 'sgemm NN 4x4x4'", "/nowhere/libcublas.so");
    ASSERT_EQ(rows.size(), 1U);
    const std::string reason = rows[0]["absent"]["cuBLAS"];
    EXPECT_NE(reason.find("/nowhere/libcublas.so was not found; SWIRL_CUBLAS"), std::string::npos) << reason;
    const std::string cublas = report["cublas"];
    EXPECT_NE(cublas.find("no cuBLAS: /nowhere/libcublas.so"), std::string::npos) << cublas;
}

TEST_F(GpuProductsBenchmark, ListsItsRowsWithoutAGpu) {
    outcome = run_with("/nowhere.so", "", "--list");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* row :
         {"sgemm NT 4096x4096x4096              1.02",
          "sgemm NN 64x64x262144                1.2, 0.85 of copy",
          "sgemm NN 4x4x4 batch=40000           2000, from memory", "sgemm-tensors NN 8192x8192x8192      90",
          "bf16gemm NT 8192x8192x8192           0.97", "fp8gemm TN 8192x8192x8192            0.9"})
        EXPECT_NE(outcome.output.find(row), std::string::npos) << row << " in\n" << outcome.output;
}

TEST_F(GpuProductsBenchmark, ComparesEveryArithmeticAndTranspositionWithExactResults) {
    const json rows = rows_of(
        "--product 'sgemm NN 20x13x17' --product 'sgemm NT 20x13x17' --product 'sgemm TN 20x13x17' "
        "--product 'sgemm TT 5x3x2' --product 'dgemm TN 9x30x11' --product 'tf32gemm NT 8x9x10' "
        "--product 'bf16gemm NT 7x16x31' --product 'fp16gemm TN 7x16x31' --product 'fp8gemm TN 16x24x33' "
        "--product 'sgemm NT 4x5x6 batch=7'");
    ASSERT_EQ(rows.size(), 10U) << outcome.errors;
    for (const json& row : rows) {
        const bool is_double = row["product"].get<std::string>().starts_with("dgemm");
        EXPECT_LT(entry_of(row, "cuBLAS")["error"], is_double ? 1e-15 : 1e-7) << row;
        EXPECT_FALSE(entry_of(row, "cuBLAS")["wrong"]) << row;
        EXPECT_GT(entry_of(row, "cuBLAS")["median_seconds"], 0) << row;
    }
    EXPECT_EQ(report["cublas"], "cuBLAS 1.2.3, libcublas_by_definition.so");
    EXPECT_EQ(entry_of(rows[0], "cuBLAS")["made_by"], "cublasSgemm");
    EXPECT_EQ(entry_of(rows[6], "cuBLAS")["made_by"], "cublasGemmEx");
    EXPECT_EQ(entry_of(rows[8], "cuBLAS")["made_by"], "cublasLtMatmul");
    EXPECT_EQ(entry_of(rows[9], "cuBLAS")["made_by"], "cublasSgemmStridedBatched");
}

TEST_F(GpuProductsBenchmark, TakesWhatIsLimitedByMemoryFromOtherOperandsEachTime) {
    const json rows = rows_of("--product 'sgemm NN 16x1x64' --from-memory");
    ASSERT_EQ(rows.size(), 1U) << outcome.errors;
    EXPECT_TRUE(rows[0]["from_memory"]);
    EXPECT_EQ(rows[0]["bytes"], 4 * (16 * 64 + 64 + 16));
    EXPECT_EQ(rows[0]["flops"], 2 * 16 * 64);
    EXPECT_GT(entry_of(rows[0], "cuBLAS")["of_copy"], 0);
    EXPECT_FALSE(entry_of(rows[0], "cuBLAS")["wrong"]);
    EXPECT_NE(outcome.output.find(" of copy"), std::string::npos) << outcome.output;
}

TEST_F(GpuProductsBenchmark, GoesOnWhereSwirlOrCublasHasNoPlan) {
    const json rows = rows_of(
        "--product 'fp8gemm NN 8x8x8' --product 'sgemm-tensors NN 8x8x8' "
        "--product 'dgemm NN 4x4x4 batch=2' --product 'sgemm NN 2x2x2'");
    ASSERT_EQ(rows.size(), 4U) << outcome.errors;
    EXPECT_EQ(rows[0]["absent"]["cuBLAS"],
              "cublasLtMatmulAlgoGetHeuristic gives error 15 (CUBLAS_STATUS_NOT_SUPPORTED)");
    EXPECT_EQ(rows[1]["absent"]["cuBLAS emulated"],
              "cublasGemmEx gives error 15 (CUBLAS_STATUS_NOT_SUPPORTED)");
    EXPECT_FALSE(entry_of(rows[1], "cuBLAS")["wrong"]);
    EXPECT_EQ(rows[2]["absent"]["cuBLAS"], "cuBLAS is compared in batches of float32 only");
    EXPECT_FALSE(entry_of(rows[3], "cuBLAS")["wrong"]);
    const json unsuited = rows_of("--product 'sgemm NN 2x2x2' --schedule 'wgmma warpgroups=4'");
    ASSERT_EQ(unsuited.size(), 1U) << outcome.errors;
    EXPECT_TRUE(unsuited[0]["absent"].contains("swirl")) << unsuited[0];
    EXPECT_FALSE(entry_of(unsuited[0], "cuBLAS")["wrong"]);
}

TEST_F(GpuProductsBenchmark, TellsWrongResultsOfSwirl) {
    const json rows = rows_of("--product 'sgemm TN 40x30x20' --product 'dgemm NT 9x8x7'");
    for (const json& row : rows) {
        EXPECT_TRUE(entry_of(row, "swirl")["wrong"]) << row << ": kernels that do nothing";
        EXPECT_GT(entry_of(row, "swirl")["median_seconds"], 0) << row;
        EXPECT_GT(entry_of(row, "cuBLAS")["time_over_swirl"], 0) << row;
        EXPECT_FALSE(row["reaches_goal"]) << row;
    }
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("2 results are wrong"), std::string::npos) << outcome.errors;
}

TEST_F(GpuProductsBenchmark, RanksSchedules) {
    const std::string product = "--product 'sgemm NN 64x64x64' ";
    const json best = rows_of(product + "--candidates 3");
    ASSERT_EQ(best.size(), 1U) << outcome.errors;
    const std::string first = entry_of(best[0], "swirl")["made_by"];
    const std::string second = entry_of(best[0], "swirl 2")["made_by"];
    EXPECT_NE(first, second);
    EXPECT_GT(entry_of(best[0], "swirl")["model_seconds"], 0);
    EXPECT_NE(outcome.output.find("the fastest first"), std::string::npos) << outcome.output;
    const json given = rows_of(product + "--schedule " + support::quoted(second) +
                               " --schedule nonsense --schedule " + support::quoted(first));
    EXPECT_EQ(entry_of(given[0], "swirl")["made_by"], second);
    EXPECT_EQ(entry_of(given[0], "swirl 3")["made_by"], first);
    const std::string reason = given[0]["absent"]["swirl 2"];
    EXPECT_NE(reason.find("(nonsense)"), std::string::npos) << reason;
}

TEST_F(GpuProductsBenchmark, NamesWhatItDoesNotKnow) {
    for (const auto& [arguments, complaint] :
         {std::pair("--group cubes", "--group has 'cubes'; use square, machine, small"),
          std::pair("--only 'sgemm ('", "--only 'sgemm (' is no regular expression"),
          std::pair("--only nothing", "--only 'nothing' leaves no product"),
          std::pair("--candidates 2 --schedule x", "--schedule and --candidates both say what to time"),
          std::pair("--product 'sgemm NN 0x4x4'", "write it as 'sgemm NT 500x600x700 batch=3'")}) {
        outcome = run_with("/nowhere.so", "", arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        EXPECT_NE(outcome.errors.find(complaint), std::string::npos) << outcome.errors;
    }
}

TEST_F(GpuProductsBenchmark, ResultsBecomeTables) {
    rows_of("--product 'sgemm NN 8x9x10' --product 'fp8gemm NN 8x8x8'");
    const std::string folder = folder_.path().string();
    const support::Outcome made =
        support::run_command("python3 " SWIRL_SOURCE_DIR "/scripts/report_gpu_products " +
                             support::quoted(folder + "/results.json"));
    ASSERT_EQ(made.status, 0) << made.errors;
    std::ifstream file(folder + "/gpu-products.md");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (const char* part : {"# Matrix multiplication on a GPU", "`sgemm NN 8x9x10`", "## own",
                             "- cuBLAS, `fp8gemm NN 8x8x8`: cublasLtMatmulAlgoGetHeuristic"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

} // namespace gpu_products_benchmark_test
} // namespace swirl
