#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace swirl {
namespace benchmark_test {

using nlohmann::json;

constexpr const char* program = SWIRL_BINARY_DIR "/bin/bench_cpu_transforms";

class Benchmark : public testing::Test {
    void SetUp() override {
        if (!std::filesystem::exists(program)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    }
};

/// The benchmark, in a folder of peers that is empty.
support::Outcome run_benchmark(const TemporaryFolder& folder, const std::string& arguments) {
    return support::run_command("SWIRL_PEERS=" + support::quoted(folder.path().string()) + " " +
                                support::quoted(program) + " " + arguments);
}

constexpr const char* briefly = " --rounds 2 --seconds 0.1 --fftw-seconds 0.1 --fftw-plannings 1 ";

TEST_F(Benchmark, ComparesEveryContenderThatIsThere) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "results.json").string();
    const auto outcome =
        run_benchmark(folder, "--group real,batched --only 256 --json " + support::quoted(file) + briefly);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("rdft 256 backward"), std::string::npos) << outcome.output;
    const json report = json::parse(std::ifstream(file));
    EXPECT_GT(report["machine"]["flops_float64"], 0);
    ASSERT_EQ(report["results"].size(), 4U) << "two groups in two precisions";
    for (const json& result : report["results"]) {
        ASSERT_EQ(result["rows"].size(), 2U) << result;
        for (const json& row : result["rows"]) {
            EXPECT_EQ(row["entries"].size() + row["absent"].size(), 6U) << row;
            EXPECT_EQ(row["entries"][0]["name"], "swirl");
            EXPECT_EQ(row["entries"][0]["time_over_swirl"], 1.0);
            EXPECT_TRUE(row["absent"].contains("fftw-avx512")) << row;
            for (const json& entry : row["entries"]) {
                EXPECT_LE(entry["minimum_seconds"], entry["median_seconds"]) << row;
                EXPECT_LT(entry["difference"], 1e-5) << row;
            }
            for (const auto& [name, reason] : row["absent"].items()) EXPECT_NE(reason, "") << name;
        }
    }
}

TEST_F(Benchmark, RemembersThePlansOfFftw) {
    const TemporaryFolder folder;
    const std::string arguments = "--group powers --precision float64 --only 'dft 64 inplace' --peers fftw";
    for (const bool is_second : {false, true}) {
        const std::string file = (folder.path() / "results.json").string();
        const auto outcome = run_benchmark(folder, arguments + " --json " + support::quoted(file) + briefly);
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        const json row = json::parse(std::ifstream(file))["results"][0]["rows"][0];
        if (row["absent"].contains("fftw")) GTEST_SKIP() << row["absent"]["fftw"];
        const std::string made_by = row["entries"][1]["made_by"];
        EXPECT_EQ(made_by.find("remembered") != std::string::npos, is_second) << made_by;
    }
}

TEST_F(Benchmark, NamesWhatItDoesNotKnow) {
    const TemporaryFolder folder;
    for (const auto& [arguments, complaint] :
         {std::pair("--group primes", "--group has 'primes'; use powers, large"),
          std::pair("--peers fftpack", "--peers has 'fftpack'; use none, fftw-estimate"),
          std::pair("--precision float16", "--precision has 'float16'"),
          std::pair("--group powers,avx2", "avx2 is measured by itself")}) {
        const auto outcome = run_benchmark(folder, arguments);
        EXPECT_EQ(outcome.status, 1) << arguments;
        EXPECT_NE(outcome.errors.find(complaint), std::string::npos) << outcome.errors;
    }
}

} // namespace benchmark_test
} // namespace swirl
