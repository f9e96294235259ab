#include "cli/gpu_benchmark_fixture.hpp"

namespace swirl {
namespace gpu_benchmark_test {

using nlohmann::json;

class GpuBenchmark : public support::GpuBenchmarkProgram {
protected:
    GpuBenchmark()
        : GpuBenchmarkProgram("bench_gpu_transforms", "SWIRL_CUFFT", "libcufft_by_definition.so",
                              "SWIRL_VKFFT=/nowhere.so") {}
};

TEST_F(GpuBenchmark, SaysWhatIsMissing) {
    outcome = run_with("/nowhere.so", "", "--only 'dft 64 '");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("there is no NVIDIA driver"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("/nowhere.so"), std::string::npos) << outcome.errors;
    const json rows = rows_of("--group powers --only 'dft 64 '", "/nowhere/libcufft.so");
    ASSERT_EQ(rows.size(), 1U);
    const std::string reason = rows[0]["absent"]["cuFFT"];
    EXPECT_NE(reason.find("/nowhere/libcufft.so was not found; SWIRL_CUFFT"), std::string::npos) << reason;
    const std::string vkfft = report["vkfft"];
    EXPECT_NE(vkfft.find("no VkFFT: /nowhere.so was not found"), std::string::npos) << vkfft;
    EXPECT_FALSE(rows[0]["absent"].contains("VkFFT"));
}

TEST_F(GpuBenchmark, ListsItsRowsWithoutAGpu) {
    outcome = run_with("/nowhere.so", "", "--list");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* row : {"dft 1024 float32 batch=65536", "rdft 8 backward float32 batch=16777216",
                            "dft 8192x8192 float32", "dft 4096 float32 strides=16384 batch=16384:1"})
        EXPECT_NE(outcome.output.find(row), std::string::npos) << row << " in\n" << outcome.output;
}

TEST_F(GpuBenchmark, ComparesEveryLayoutWithTheDefinition) {
    const json rows = rows_of(
        "--problem 'dft 64 float32 batch=5' --problem 'dft 60 backward batch=3' "
        "--problem 'dft 8x6 batch=4' --problem 'dft 4x6x8 float32 backward' "
        "--problem 'rdft 30 batch=3' --problem 'rdft 16 backward float32 batch=4' "
        "--problem 'rdft 15 backward' --problem 'dft 16 strides=5 batch=5:1' "
        "--problem 'dft 12 in=2 out=3 batch=4:(24,40)'");
    ASSERT_EQ(rows.size(), 9U) << outcome.errors;
    for (const json& row : rows) {
        const bool is_single = row["problem"].get<std::string>().find("float32") != std::string::npos;
        EXPECT_LT(entry_of(row, "cuFFT")["error"], is_single ? 1e-6 : 1e-13) << row;
        EXPECT_FALSE(entry_of(row, "cuFFT")["wrong"]) << row;
        EXPECT_TRUE(entry_of(row, "swirl")["wrong"]) << row << ": kernels that do nothing";
        EXPECT_GT(entry_of(row, "swirl")["median_seconds"], 0) << row;
    }
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("9 results are wrong"), std::string::npos) << outcome.errors;
}

TEST_F(GpuBenchmark, GoesOnWhereSwirlOrCufftHasNoPlan) {
    const json rows = rows_of(
        "--group float16,convolution,layouts,planning "
        "--only '(dft 8 |dft 256 |convolution 256 |planar|^dft 1024 float32$)'");
    ASSERT_EQ(rows.size(), 5U) << outcome.errors;
    EXPECT_EQ(report["gpu"], "Fake H100");
    EXPECT_EQ(report["cufft"], "cuFFT 12.3.45, libcufft_by_definition.so");
    int planned = 0;
    for (const json& row : rows) {
        EXPECT_EQ(row["entries"].size() + row["absent"].size(), 2U) << row;
        EXPECT_TRUE(row.contains("goal")) << row;
        for (const auto& [name, reason] : row["absent"].items()) EXPECT_NE(reason, "") << name;
        planned += row["absent"].contains("swirl") ? 0 : 1;
    }
    EXPECT_GE(planned, 1) << report;
    for (const char* text : {"cuFFT has no planar data", "convolution 256 float32 batch=10", "goals reached"})
        EXPECT_NE(outcome.output.find(text), std::string::npos) << text << " in\n" << outcome.output;
}

TEST_F(GpuBenchmark, TimesPlansThatWereMadeBefore) {
    const json rows = rows_of("--group cached --no-compare --only '^dft 1024 '");
    ASSERT_EQ(rows.size(), 1U) << outcome.errors;
    for (const json& row : rows) {
        EXPECT_GT(entry_of(row, "swirl")["figure"], 0) << row;
        const double milliseconds = entry_of(row, "swirl")["planning_seconds"].get<double>() * 1e3;
        EXPECT_NEAR(entry_of(row, "swirl")["figure"].get<double>(), milliseconds, 1e-3 * milliseconds) << row;
        EXPECT_EQ(row["goal"], 2);
    }
}

TEST_F(GpuBenchmark, RanksSchedules) {
    const json rows = rows_of(
        "--problem 'dft 64 float32 batch=4' --measure latency --schedule 'sm_90: 0 stockham(8,8) on "
        "8x4' --schedule 'sm_90: 0 stockham(4,4,4) on 16x4' --schedule 'sm_90: 0 nonsense'");
    ASSERT_EQ(rows.size(), 1U) << outcome.errors;
    EXPECT_EQ(entry_of(rows[0], "swirl 2")["made_by"], "sm_90: 0 stockham(4,4,4) on 16x4") << rows;
    EXPECT_TRUE(entry_of(rows[0], "swirl")["replayed"]);
    EXPECT_TRUE(rows[0]["absent"].contains("swirl 3")) << rows;
    EXPECT_NE(outcome.output.find("the fastest first"), std::string::npos) << outcome.output;
}

TEST_F(GpuBenchmark, TimesWhatTheModelThinksBest) {
    const json rows = rows_of("--problem 'dft 256 float32' --problem 'dft 8x16' --candidates 3");
    ASSERT_EQ(rows.size(), 2U) << outcome.errors;
    for (const json& row : rows) {
        EXPECT_GT(entry_of(row, "swirl")["model_seconds"], 0) << row;
        EXPECT_NE(entry_of(row, "swirl")["made_by"], entry_of(row, "swirl 2")["made_by"]) << row;
    }
    EXPECT_NE(outcome.output.find("model "), std::string::npos) << outcome.output;
}

TEST_F(GpuBenchmark, NamesWhatItDoesNotKnow) {
    for (const auto& [arguments, complaint] :
         {std::pair("--group cubes", "--group has 'cubes'; use planning, powers"),
          std::pair("--only 'dft ('", "--only 'dft (' is no regular expression"),
          std::pair("--only nothing", "--only 'nothing' leaves no problem"),
          std::pair("--schedule x", "--schedule is for a single problem"),
          std::pair("--problem 'dft x'", "dft x")}) {
        outcome = run_with("/nowhere.so", "", arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        EXPECT_NE(outcome.errors.find(complaint), std::string::npos) << outcome.errors;
    }
}

} // namespace gpu_benchmark_test
} // namespace swirl
