#include "cli/run_swirl.hpp"

#include "formula/formula.hpp"
#include "formula/parse.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace reports_test {

using nlohmann::json;

json json_of(const std::string& arguments, int status = 0) {
    const auto outcome = run_swirl(arguments);
    EXPECT_EQ(outcome.status, status) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errors, "") << arguments;
    return json::parse(outcome.output);
}

TEST(Plan, TellsTheScheduleAndItsCosts) {
    const json plan = json_of("plan dft 64 --json");
    EXPECT_EQ(plan["problem"], "dft 64");
    EXPECT_EQ(plan["data_bytes"], 2 * 64 * 16);
    EXPECT_EQ(plan["pseudo_flops"], 5 * 64 * 6);
    EXPECT_GT(plan["flops"], 64 * 6);
    EXPECT_LT(plan["flops"], 5 * 64 * 6);
    EXPECT_GE(plan["bytes"], plan["data_bytes"]);
    EXPECT_EQ(plan["passes"].size(), 1U);
    EXPECT_GT(plan["passes"][0]["instructions"], 64);
    EXPECT_GT(plan["floors"]["arithmetic_seconds"], 0);
    EXPECT_GT(plan["floors"]["traffic_seconds"], 0);
    EXPECT_GT(plan["estimate"]["seconds"], 0);
    EXPECT_GT(plan["rejected"].size(), 3U);
    for (const json& rejected : plan["rejected"]) EXPECT_NE(rejected["why"], "");
}

TEST(Plan, IsMadeAgainFromItsSchedule) {
    const std::string schedule = json_of("plan dft 360 --json")["schedule"];
    EXPECT_EQ(json_of("plan dft 360 --json --schedule " + support::quoted(schedule))["schedule"], schedule);
}

TEST(Plan, SaysTheSameInWords) {
    const auto outcome = run_swirl("plan dft 64");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* word :
         {"schedule", "formula", "flops", "bytes", "workspace", "floors", "binds", "estimate", "because"})
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
}

TEST(Show, PrintsEveryStage) {
    for (const char* stage : {"formula", "ir", "machine-ir", "c++", "asm"})
        for (const char* problem : {"dft 2", "dft 16 float32", "dft 30 inplace backward", "dft 4x6"}) {
            const auto outcome = run_swirl(std::string("show ") + problem + " --stage " + stage);
            EXPECT_EQ(outcome.status, 0) << stage << " " << problem << "\n" << outcome.errors;
            EXPECT_GT(outcome.output.size(), 5U) << stage << " " << problem;
        }
}

TEST(Show, PrintsJsonForEveryKindOfProblemAndDevice) {
    for (const char* arguments : {"show --json dft 16", "show --json --stage asm dft 4x6",
                                  "show --json --device sm_90 --stage ptx rdft 8x16",
                                  "show --json gemm 20x20x20", "show --json --stage c++ gemm 500x500x500",
                                  "show --json --device sm_90 --stage ptx gemm 64x64x64 float32"}) {
        const json shown = json_of(arguments);
        EXPECT_NE(shown["problem"], "") << arguments;
        EXPECT_NE(shown["schedule"], "") << arguments;
        EXPECT_NE(shown["target"], "") << arguments;
        ASSERT_FALSE(shown["texts"].empty()) << arguments;
        for (const json& each : shown["texts"]) {
            EXPECT_NE(each["name"], "") << arguments;
            EXPECT_GT(each["text"].get<std::string>().size(), 5U) << arguments;
        }
    }
    EXPECT_EQ(json_of("show --json gemm 20x20x20")["stage"], "ir");
    EXPECT_EQ(json_of("show --json rdft 8x16")["texts"].size(), 2U);
}

TEST(Show, PrintsCodeForOtherMachinesToo) {
    std::vector<std::string> texts;
    for (const char* cpu : {"sse2", "avx2", "avx512"}) {
        const auto outcome = run_swirl(std::string("show dft 64 --stage asm --cpu ") + cpu);
        EXPECT_EQ(outcome.status, 0) << cpu << "\n" << outcome.errors;
        texts.push_back(outcome.output);
    }
    EXPECT_EQ(texts[0].find("ymm"), std::string::npos);
    EXPECT_NE(texts[1].find("ymm"), std::string::npos);
    EXPECT_EQ(texts[1].find("zmm"), std::string::npos);
    EXPECT_NE(texts[2].find("zmm"), std::string::npos);
}

TEST(Show, PrintsAFormulaThatIsTheTransform) {
    for (const char* n : {"4", "15", "16", "17"}) {
        const auto outcome = run_swirl(std::string("show --stage formula dft ") + n);
        const auto term = formula::parse(outcome.output.substr(0, outcome.output.find('\n')));
        const auto is = formula::dense(term);
        const auto should_be = formula::dense(formula::DFT(std::stoi(n)));
        ASSERT_EQ(is.size(), should_be.size());
        for (std::size_t i = 0; i < is.size(); ++i)
            EXPECT_LT(std::abs(is[i] - should_be[i]), 1e-15) << n << ": " << i;
    }
}

TEST(Show, PrintsLatex) {
    const auto outcome = run_swirl("show --stage formula --latex dft 16");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.output.find("\\otimes"), std::string::npos) << outcome.output;
}

TEST(Verify, PassesWhatIsRight) {
    const json report =
        json_of("verify --json --sizes 1..20 'dft n' 'dft n float32 backward inplace' 'dft 3xn batch=2'");
    EXPECT_EQ(report["results"].size(), 60U);
    for (const json& result : report["results"]) {
        EXPECT_TRUE(result["ok"]) << result;
        EXPECT_LT(result["error"]["units"], 1) << result;
    }
}

TEST(Verify, FailsWhatIsOutside) {
    const auto outcome = run_swirl("verify dft 97 --tolerance 1e-6");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.output.find("WRONG"), std::string::npos);
    EXPECT_NE(outcome.output.find("0 of 1 problems"), std::string::npos);
    EXPECT_FALSE(json_of("verify dft 97 --tolerance 1e-6 --json", 1)["results"][0]["ok"]);
}

TEST(Bench, TimesSwirlAndItsPeers) {
    const json report = json_of(
        "bench --json --seconds 0.05 --accuracy --peers fftw-estimate,pocketfft dft 64 'dft 32 inplace'");
    ASSERT_EQ(report["results"].size(), 2U);
    for (const json& result : report["results"]) {
        EXPECT_EQ(result["entries"].size() + result["absent"].size(), 3U) << result;
        EXPECT_EQ(result["entries"][0]["name"], "swirl");
        EXPECT_EQ(result["entries"][0]["time_over_swirl"], 1.0);
        for (const json& entry : result["entries"]) {
            EXPECT_GT(entry["median_seconds"], 0);
            EXPECT_LE(entry["minimum_seconds"], entry["median_seconds"]);
            EXPECT_GE(entry["samples"], 5);
            EXPECT_LT(entry["error"]["relative_l2"], 1e-14);
        }
        for (const auto& [name, reason] : result["absent"].items()) EXPECT_NE(reason, "") << name;
    }
}

TEST(Bench, RunsWithoutPeers) {
    const json report = json_of("bench --json --seconds 0.02 --peers none dft 8");
    EXPECT_EQ(report["results"][0]["entries"].size(), 1U);
    EXPECT_EQ(run_swirl("bench --seconds 0.02 --peers none dft 8").status, 0);
}

TEST(Probe, KnowsTheMachine) {
    const json probe = json_of("probe --json --seconds 0.1");
    EXPECT_TRUE(probe.is_object());
    EXPECT_NE(run_swirl("probe").output.find("Gflop/s"), std::string::npos);
    EXPECT_EQ(json_of("probe --json"), probe) << "remembered, not measured again";
}

TEST(Probe, ListsGpusOrSaysWhyThereAreNone) {
    setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
    EXPECT_NE(
        run_swirl("probe --seconds 0.1").output.find("\nGPU 0: Fake H100, compute capability 9.0, 1.5 GiB\n"),
        std::string::npos);
    const json gpus = json_of("probe --json").at("gpus");
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_EQ(gpus[0].at("compute_capability"), "9.0");
    setenv("SWIRL_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
    EXPECT_NE(run_swirl("probe").output.find("\nGPU: none; there is no NVIDIA driver: /nowhere/libcuda.so"),
              std::string::npos);
    EXPECT_EQ(json_of("probe --json").at("gpus"), json::array());
    unsetenv("SWIRL_CUDA_DRIVER");
}

} // namespace reports_test
} // namespace swirl
