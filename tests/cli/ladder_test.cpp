#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>

namespace swirl {
namespace ladder_test {

using nlohmann::json;

json ladders_of(const std::string& arguments) {
    const auto outcome = run_swirl("ladder " + arguments + " --json");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
    return json::parse(outcome.output)["results"];
}

/// Times, speeds and gains are consistent, on a busy machine too.
void expect_consistent(const json& ladder) {
    const json* before = nullptr;
    for (const json& step : ladder["steps"]) {
        const double seconds = step["minimum_seconds"], flops = ladder["pseudo_flops"];
        EXPECT_GT(seconds, 0) << step;
        EXPECT_LE(seconds, step["median_seconds"]) << step;
        EXPECT_NEAR(step["pseudo_gflops"].get<double>() * seconds, flops * 1e-9, flops * 1e-15) << step;
        EXPECT_LT(step["error"]["units"], 1) << step;
        EXPECT_NE(step["what"], "") << step;
        if (before != nullptr) {
            const double gain = step["gain"];
            EXPECT_NEAR(gain * seconds, (*before)["minimum_seconds"], 1e-12) << step;
            EXPECT_TRUE(step["is_new"].get<bool>() || gain == 1) << step;
        }
        before = &step;
    }
}

TEST(Ladder, ClimbsFromScalarRadixTwoToVectorsAndThreads) {
    const json ladders = ladders_of("dft 4..64*2 4096 --seconds 0.02 --threads 2");
    ASSERT_EQ(ladders.size(), 6U);
    for (const json& ladder : ladders) {
        expect_consistent(ladder);
        const json& steps = ladder["steps"];
        const std::string first = steps[0]["schedule"];
        EXPECT_NE(first.find(": scalar; 0 dft-iterative(2,2"), std::string::npos) << first;
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_NE(steps[i]["schedule"].get<std::string>().find(": scalar; "), std::string::npos);
        for (std::size_t i = 4; i < steps.size(); ++i)
            EXPECT_EQ(steps[i]["schedule"].get<std::string>().find("scalar"), std::string::npos);
        EXPECT_EQ(steps.back()["threads"], 2);
    }
    EXPECT_NE(ladders.back()["steps"][3]["schedule"].get<std::string>().find("two-sweep(64,8,8)"),
              std::string::npos);
}

TEST(Ladder, StepsAreSchedulesThatVerifyAcceptsToo) {
    const json ladder = ladders_of("dft 256 --seconds 0.01 --threads 1")[0];
    for (const json& step : ladder["steps"]) {
        const std::string schedule = step["schedule"];
        const auto outcome = run_swirl("verify dft 256 --schedule " + support::quoted(schedule));
        EXPECT_EQ(outcome.status, 0) << schedule << "\n" << outcome.output << outcome.errors;
    }
}

TEST(Ladder, EveryWhtTakesExactlyNLogNAdditions) {
    const json ladders = ladders_of("wht 2..2048*2 --seconds 0.01");
    ASSERT_EQ(ladders.size(), 11U);
    for (const json& ladder : ladders) {
        expect_consistent(ladder);
        const auto n = ladder["n"].get<std::uint64_t>();
        ASSERT_EQ(ladder["steps"].size(), 6U);
        for (const json& step : ladder["steps"]) {
            EXPECT_EQ(step["additions"], n * (std::bit_width(n) - 1U)) << n << " " << step;
            EXPECT_EQ(step["multiplications"], 0) << n << " " << step;
        }
    }
}

TEST(Ladder, PrintsSpeedsGainsAndCounts) {
    const auto dft = run_swirl("ladder dft 64 --seconds 0.01 --threads 1");
    EXPECT_EQ(dft.status, 0) << dft.errors;
    for (const char* word :
         {"iterative radix 2", "recursive radix 4", "larger bases", "buffered", "planned", " x", "="})
        EXPECT_NE(dft.output.find(word), std::string::npos) << word << "\n" << dft.output;
    const auto wht = run_swirl("ladder wht 64 --seconds 0.01");
    EXPECT_EQ(wht.status, 0) << wht.errors;
    for (const char* word : {"iterative", "radix 8", "searched", "4032", "384"}) // 64·63 and 64·6
        EXPECT_NE(wht.output.find(word), std::string::npos) << word << "\n" << wht.output;
    const auto gemm = run_swirl("ladder gemm 100 --seconds 0.01 --threads 1 --lines --cache 32768,8");
    EXPECT_EQ(gemm.status, 0) << gemm.errors;
    for (const char* word : {"naive", "blocked", "tile 3x3", "packed", "planned", " x", "predicted", "8 ways",
                             "1.125 n^3", "n^3/(4 N_B)", "1125000"})
        EXPECT_NE(gemm.output.find(word), std::string::npos) << word << "\n" << gemm.output;
}

TEST(Ladder, MatrixProductsClimbFromThreeLoopsToPlans) {
    for (const std::string kind : {"", " --float"})
        for (const json& ladder : ladders_of("gemm 1 3 17 64..65 100 --seconds 0.01 --threads 2" + kind)) {
            const json& steps = ladder["steps"];
            ASSERT_EQ(steps.size(), 10U);
            const double n = ladder["n"];
            EXPECT_EQ(ladder["flops"], 2 * n * n * n);
            const json* before = nullptr;
            for (const json& step : steps) {
                const double seconds = step["minimum_seconds"], flops = ladder["flops"];
                EXPECT_GT(seconds, 0) << step;
                EXPECT_NEAR(step["gflops"].get<double>() * seconds, flops * 1e-9, flops * 1e-15) << step;
                EXPECT_LT(step["error_units"], 1) << step;
                EXPECT_NE(step["what"], "") << step;
                EXPECT_FALSE(step.contains("lines")) << step;
                if (before != nullptr) {
                    const double gain = step["gain"];
                    EXPECT_NEAR(gain * seconds, (*before)["minimum_seconds"], 1e-12) << step;
                }
                before = &step;
            }
            EXPECT_EQ(steps[0]["program"].get<std::string>().find("copied"), std::string::npos) << steps[0];
            EXPECT_NE(steps[2]["program"].get<std::string>().find("copied"), std::string::npos) << steps[2];
            EXPECT_NE(steps[7]["program"].get<std::string>().find("panels"), std::string::npos) << steps[7];
        }
}

/// The tutorial's (9/8)n³ for three loops and n³/(4 N_B) in blocks hold where a column's lines are more than the cache's.
TEST(Ladder, CacheLinesOfGemmAreThoseOfTheTutorial) {
    const json ladder = ladders_of("gemm 144 --seconds 0.01 --threads 1 --lines --cache 4096,4")[0];
    const double n = 144, naive = ladder["steps"][0]["lines"]["any_place"];
    EXPECT_NEAR(naive / (n * n * n * 9 / 8), 1, 0.02);
    const json& blocked = ladder["steps"][1]["lines"];
    EXPECT_EQ(blocked["predicted"], n * n * n / (4 * 16)) << "16·16 + 16 + 1 numbers fit, 24·24 do not";
    const double compulsory = n * n / 8; // C is cleared before it is computed
    EXPECT_GE(blocked["any_place"], blocked["predicted"]);
    EXPECT_LE(blocked["any_place"], 2 * blocked["predicted"].get<double>() + 2 * compulsory) << blocked;
    for (const json& step : ladder["steps"])
        if (step.contains("lines")) {
            EXPECT_GE(step["lines"]["in_sets"], 3 * compulsory) << step;
        }
}

TEST(Ladder, CachegrindCountsWhatTheModelCounts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "valgrind runs no program with sanitizers";
#endif
    if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
        const auto outcome = run_swirl("ladder gemm 8 --cachegrind");
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.errors.find("valgrind is not installed"), std::string::npos) << outcome.errors;
        return;
    }
    const json ladder = ladders_of(
        "gemm 40 --seconds 0.01 --step naive --step register --step vectors "
        "--cachegrind --cache 4096,4")[0];
    int counted = 0;
    for (const json& step : ladder["steps"]) {
        if (!step.contains("lines") || !step["lines"].contains("cachegrind")) continue;
        ++counted;
        const double model = step["lines"]["in_sets"], count = step["lines"]["cachegrind"];
        EXPECT_NEAR(count, model, 0.2 * model + 300) << step;
    }
    EXPECT_EQ(counted, 2) << "vectors are none that valgrind knows on every machine";
}

TEST(Ladder, DrawsAPlot) {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
    const TemporaryFolder folder;
    const auto file = folder.path() / "it's a plot.svg";
    const auto outcome = run_swirl("ladder wht 4 8 --seconds 0.01 --plot " + support::quoted(file.string()));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const char* word : {"<svg", "radix 8", "</svg>"})
        EXPECT_NE(text.find(word), std::string::npos) << word;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "nothing is left beside it";
    const auto gemm =
        run_swirl("ladder gemm 8 20 --seconds 0.01 --threads 1 --plot " + support::quoted(file.string()));
    EXPECT_EQ(gemm.status, 0) << gemm.errors;
    for (const char* word : {"<svg", "unrolled", "Gflop/s", "</svg>"})
        EXPECT_NE(support::content_of(file).find(word), std::string::npos) << word;
}

TEST(Ladder, SaysWhatCannotBe) {
    for (const char* arguments :
         {"dft 2", "dft 12", "wht 1", "wht 16..20", "dft 16 --threads -1", "", "mmm", "gemm 0", "gemm 100000",
          "gemm 8 --threads -1", "gemm 8 --cache 1000,8", "gemm 8 --cache 32768,7", "gemm 8 --cache 4096x",
          "gemm 8 --step nothing"}) {
        const auto outcome = run_swirl(std::string("ladder ") + arguments);
        EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.output;
        EXPECT_EQ(outcome.errors.rfind("swirl: ", 0), 0U) << outcome.errors;
    }
    const auto outcome = run_swirl("ladder wht 4 --seconds 0.01 --plot /nowhere/at/all.svg");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("/nowhere/at/all.svg"), std::string::npos) << outcome.errors;
}

} // namespace ladder_test
} // namespace swirl
