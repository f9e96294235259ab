#include "cli/run_swirl.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "support/terminal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace swirl {
namespace progress_test {

/// Runs swirl in a terminal, with wisdom that it forgets.
support::TerminalOutcome run_seen(const std::string& arguments, const std::string& pressed_at = "") {
    return support::run_in_terminal("env SWIRL_WISDOM=:memory: SWIRL_KERNEL_CACHE=off " +
                                        support::quoted(SWIRL_BINARY_DIR "/bin/swirl") + " " + arguments,
                                    pressed_at);
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(Progress, IsABarWithTheTimeLeftOnATerminal) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto outcome = run_seen("plan dft 512x512 --measure --budget 2");
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_TRUE(has(outcome.text, "#")) << outcome.text;
    EXPECT_TRUE(has(outcome.text, "measuring dft 512x512")) << outcome.text;
    EXPECT_TRUE(has(outcome.text, " s left")) << outcome.text;
    EXPECT_TRUE(has(outcome.text, "schedule ")) << outcome.text;
}

TEST(Progress, IsSilentElsewhere) {
    for (const char* arguments :
         {"plan dft 512x512 --measure --budget 1", "probe --again --seconds 1",
          "bench dft n --sizes 16..4096*4 --seconds 0.2 --peers none", "verify dft n --sizes 1000..1100"}) {
        const auto outcome = run_swirl(arguments);
        EXPECT_EQ(outcome.status, 0) << arguments;
        EXPECT_EQ(outcome.errors, "") << arguments;
    }
}

TEST(CtrlC, EndsASearchAndPrintsTheFastestThatWasFound) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    const auto outcome = run_seen("plan dft 1000 --exhaustive", "measuring dft 1000, best");
    EXPECT_EQ(outcome.status, 130) << outcome.text;
    const std::string search = outcome.text.substr(0, outcome.text.rfind("measuring dft 1000") + 60);
    EXPECT_FALSE(has(search.substr(0, search.find("measuring this machine")), "s left"))
        << "there is no limit\n"
        << outcome.text;
    EXPECT_TRUE(has(outcome.text, "schedule   ")) << outcome.text;
    EXPECT_TRUE(has(outcome.text, "swirl: interrupted: the results are those until then")) << outcome.text;
}

TEST(CtrlC, EndsAListAndPrintsTheResultsUntilThen) {
    if (!runtime::ExecutableCode::is_available()) GTEST_SKIP() << "generated code cannot run here";
    for (const auto& [arguments, seen, first, last] :
         {std::array{"bench dft n --sizes 1000..2000 --seconds 0.2 --peers none", "timing dft", "dft 1000",
                     "dft 2000"},
          std::array{"verify dft n --sizes 1000..9000", "verifying dft", "dft 1000", "dft 9000"},
          std::array{"ladder dft 16..16777216*2 --seconds 2", "climbing dft", "16 ", "16777216"}}) {
        const auto outcome = run_seen(arguments, seen);
        EXPECT_EQ(outcome.status, 130) << arguments << "\n" << outcome.text;
        const std::string table = outcome.text.substr(outcome.text.rfind("\r\x1b[K") + 4);
        EXPECT_TRUE(has(table, first)) << outcome.text;
        EXPECT_FALSE(has(table, last)) << outcome.text;
        EXPECT_TRUE(has(table, "interrupted")) << outcome.text;
    }
}

TEST(CtrlC, LeavesNothingOfAnUnfinishedProbe) {
    const auto outcome = run_seen("probe --seconds 20", "measuring this machine");
    EXPECT_EQ(outcome.status, 130) << outcome.text;
    EXPECT_FALSE(has(outcome.text, "Gflop")) << outcome.text;
}

} // namespace progress_test
} // namespace swirl
