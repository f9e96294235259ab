#include "cli/run_swirl.hpp"
#include "runtime/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace swirl {
namespace tune_test {

using json = nlohmann::json;

std::vector<std::string> sorted_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
}

json tuned(const std::string& arguments, const std::string& seconds = "0.2") {
    const auto outcome = run_swirl("tune --seconds " + seconds + " --json " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return json::parse(outcome.output);
}

TEST(TuneCommand, FindsSchedulesThatLaterPlansUse) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const json result = tuned("'dft 60' rdft 96 float32");
    ASSERT_EQ(result["problems"].size(), 2U);
    EXPECT_EQ(result["tuned"], 2);
    EXPECT_EQ(result["regret_of_estimate"]["problems"], 2);
    for (const char* figure : {"geometric_mean", "percentile_95", "worst"})
        EXPECT_GE(result["regret_of_estimate"][figure], 1) << figure;
    for (const json& one : result["problems"]) {
        const std::string problem = one["problem"];
        EXPECT_EQ(one["state"], "tuned") << problem;
        EXPECT_GT(one["found"]["seconds"], 0) << problem;
        EXPECT_GT(one["estimate"]["seconds"], 0) << problem;
        const json plan = json::parse(run_swirl("plan --json " + problem).output);
        EXPECT_EQ(plan["schedule"], one["found"]["schedule"]) << problem;
    }

    const json again = tuned("'dft 60' 'dft 61'");
    EXPECT_EQ(again["known"], 1) << "wisdom has it";
    EXPECT_EQ(again["tuned"], 1);
    EXPECT_EQ(tuned("'dft 60' --again")["tuned"], 1);
    const json rechecked = tuned("'dft 60' --recheck");
    EXPECT_EQ(rechecked["known"], 1);
    EXPECT_GT(rechecked["problems"][0]["found"]["seconds"], 0);
    EXPECT_EQ(rechecked["regret_of_estimate"]["problems"], 1);
    EXPECT_EQ(tuned("'dft 60' --effort exhaustive")["tuned"], 1) << "what measuring found does not count";
}

TEST(TuneCommand, ProductsTuneTheBlocksOfTheirType) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    EXPECT_EQ(tuned("gemm 5x6x7")["nothing_to_tune"], 1) << "the model decides about small products";
    EXPECT_EQ(tuned("'gemm 400x500x300 complex64'", "0")["too_short"], 1);
    const json result = tuned("'gemm 400x500x300 complex64'", "4");
    EXPECT_EQ(result["tuned"], 1);
    EXPECT_NE(run_swirl("wisdom list").output.find("gemm complex64"), std::string::npos);
    EXPECT_EQ(tuned("'gemm 600x500x300 complex64'")["known"], 1);
    run_swirl("wisdom forget gemm complex64");
}

TEST(TuneCommand, TakesProblemsOfFilesEachOnce) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "problems.txt").string();
    std::ofstream(file) << "# a comment\ndft 24\n\ndft 20 float32\tdevice=cpu threads=1\n dft 24\n";
    EXPECT_EQ(run_swirl("tune --list dft 24 rdft 9 --problems " + support::quoted(file)).output,
              "dft 24\nrdft 9\ndft 20 float32\n");
    EXPECT_EQ(run_swirl("tune --list --problems - < " + support::quoted(file)).output,
              "dft 24\ndft 20 float32\n");
}

TEST(TuneCommand, DrawsWhatBenchDraws) {
    const std::string bench = SWIRL_BINARY_DIR "/bin/bench";
    if (!std::filesystem::exists(bench)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    for (const char* draw : {"--draw transforms --seed 5 --count 30", "--draw products --seed 6 --count 9",
                             "--draw transforms --count 7 --types float32 --largest 5000"})
        EXPECT_EQ(run_swirl(std::string("tune --list ") + draw).output,
                  support::run_command(support::quoted(bench) + " --list " + draw).output)
            << draw;
}

TEST(TuneCommand, AGridHasAllSmoothLengths) {
    EXPECT_EQ(sorted_lines(run_swirl("tune --grid --largest 12 --types float64 --list").output),
              (std::vector<std::string>{"dft 10", "dft 12", "dft 4", "dft 5", "dft 6", "dft 7", "dft 8",
                                        "dft 9", "rdft 10", "rdft 12", "rdft 4", "rdft 5", "rdft 6", "rdft 7",
                                        "rdft 8", "rdft 9"}));
}

TEST(TuneCommand, CtrlCKeepsWhatWasFoundAndTheNextRunGoesOn) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const TemporaryFolder folder;
    const std::string wisdom = support::quoted((folder.path() / "own.sqlite").string()),
                      out = support::quoted((folder.path() / "out").string());
    // Interrupted as soon as the first problem is done.
    const auto interrupted = support::run_command(support::quoted(SWIRL_BINARY_DIR "/bin/swirl") +
                                                  " tune --draw transforms --count 100000 --output " +
                                                  wisdom + " > " + out + " & until grep -q estimate " + out +
                                                  "; do sleep 0.05; done; kill -INT $!; wait $!");
    EXPECT_EQ(interrupted.status, 130) << interrupted.errors;
    std::ifstream stream(folder.path() / "out");
    std::stringstream text;
    text << stream.rdbuf();
    EXPECT_NE(text.str().find(" tuned"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("regret of the estimate: geometric mean"), std::string::npos) << text.str();
    const std::string first = text.str().substr(0, text.str().find(':'));
    EXPECT_EQ(tuned(support::quoted(first) + " --output " + wisdom)["known"], 1);
}

TEST(RecordCommand, ListsPlannedProblemsForTheNextDay) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const TemporaryFolder folder;
    const std::string file = support::quoted((folder.path() / "planned.txt").string());
    const std::string swirl = support::quoted(SWIRL_BINARY_DIR "/bin/swirl");
    const auto recorded = run_swirl("record -o " + file + " -- sh -c " +
                                    support::quoted(swirl + " verify dft 20 rdft 21 dft 20 > /dev/null & " +
                                                    swirl + " plan gemm 9x8x7 > /dev/null; wait; exit 3"));
    EXPECT_EQ(recorded.status, 3) << recorded.errors;
    std::ifstream stream(folder.path() / "planned.txt");
    std::stringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(sorted_lines(text.str()), (std::vector<std::string>{"dft 20\tdevice=cpu threads=1",
                                                                  "gemm 9x8x7 float64\tdevice=cpu threads=1",
                                                                  "rdft 21\tdevice=cpu threads=1"}));
    EXPECT_EQ(tuned("--problems " + file)["problems"].size(), 3U);
    EXPECT_EQ(tuned("--problems " + file)["known"], 2);
}

TEST(RecordCommand, VerboseProgramsPrintAListToTune) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const TemporaryFolder folder;
    const std::string log = support::quoted((folder.path() / "log").string());
    const auto printed = support::run_command(
        "SWIRL_VERBOSE=1 SWIRL_WISDOM=:memory: " + support::quoted(SWIRL_BINARY_DIR "/bin/swirl") +
        " verify dft 20 rdft 21 dft 20 && echo more >&2");
    EXPECT_EQ(printed.errors,
              "swirl: plans dft 20\tdevice=cpu threads=1\n"
              "swirl: plans rdft 21\tdevice=cpu threads=1\nmore\n");
    std::ofstream(folder.path() / "log") << printed.errors;
    EXPECT_EQ(sorted_lines(run_swirl("tune --list --problems " + log).output),
              (std::vector<std::string>{"dft 20", "rdft 21"}));
    EXPECT_EQ(support::run_command("SWIRL_VERBOSE=0 SWIRL_WISDOM=:memory: " SWIRL_BINARY_DIR
                                   "/bin/swirl verify dft 20")
                  .errors,
              "");
}

TEST(RecordCommand, ListsWhatIsPlannedThroughTheInterfaceOfFftw) {
    const std::string program = SWIRL_BINARY_DIR "/bin/fftw-wisdom";
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "the program fftw-wisdom was not built";
    const TemporaryFolder folder;
    const auto recorded =
        run_swirl("record -o " + support::quoted((folder.path() / "planned.txt").string()) + " -- " +
                  support::quoted(program) + " -n -o /dev/null cif1024 rob64x64 cof12");
    EXPECT_EQ(recorded.status, 0) << recorded.errors;
    std::ifstream stream(folder.path() / "planned.txt");
    std::stringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(
        sorted_lines(text.str()),
        (std::vector<std::string>{"dft 1024 inplace\tdevice=cpu threads=1", "dft 12\tdevice=cpu threads=1",
                                  "rdft 64x64 backward\tdevice=cpu threads=1"}));
}

TEST(TuneCommand, ComparesModelWithResultsAndStoresThem) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto tuned = run_swirl("tune gemm --data-type float32 --seconds 4 --sizes 96,100 --json");
    EXPECT_EQ(tuned.status, 0) << tuned.errors;
    EXPECT_EQ(tuned.errors, "") << "progress is for terminals";
    const auto results = nlohmann::json::parse(tuned.output);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0]["data_type"], "float32");
    ASSERT_EQ(results[0]["sizes"].size(), 2U);
    for (const auto& size : results[0]["sizes"])
        for (const char* speed : {"model", "found", "found_over_model", "peak"})
            EXPECT_GT(size[speed], 0) << speed;

    const auto listed = run_swirl("wisdom list");
    EXPECT_NE(listed.output.find("gemm float32"), std::string::npos) << listed.output;
    const auto forgotten = run_swirl("wisdom forget gemm float32");
    EXPECT_EQ(forgotten.output, "1 entries forgotten\n") << forgotten.errors;
}

TEST(TuneCommand, CanLeaveWisdomAlone) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto tuned =
        run_swirl("tune gemm --data-type complex64 --seconds 0 --sizes 64 --no-wisdom --quiet");
    EXPECT_EQ(tuned.status, 0) << tuned.errors;
    EXPECT_EQ(tuned.errors, "");
    EXPECT_NE(tuned.output.find("complex64 on "), std::string::npos) << tuned.output;
    EXPECT_NE(tuned.output.find("found over model"), std::string::npos) << tuned.output;
    EXPECT_EQ(run_swirl("wisdom list").output.find("gemm complex64"), std::string::npos);
}

} // namespace tune_test
} // namespace swirl
