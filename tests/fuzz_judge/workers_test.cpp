#include "fuzz/workers.hpp"

#include <swirl/error.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace swirl::fuzz {
namespace workers_test {

void good_case(std::uint64_t, const Setting&, Journal& journal) { journal.doing("nothing"); }
void failing_case(std::uint64_t, const Setting&, Journal&) { throw Failure("wrong", "by 7"); }
void refused_case(std::uint64_t, const Setting&, Journal&) { throw UserError("no"); }
void crashing_case(std::uint64_t, const Setting&, Journal& journal) {
    journal.doing("a crash");
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
}
void ending_case(std::uint64_t, const Setting&, Journal&) { _exit(3); }
void hanging_case(std::uint64_t, const Setting&, Journal& journal) {
    journal.doing("a hang");
    for (;;) pause();
}

struct Result {
    bool passed;
    std::string printed;
};

Result result_of(Case run_case, std::uint64_t cases = 3) {
    const Work work{.fuzz_targets = {{"part", run_case, 1}},
                    .cpus = {"portable"},
                    .setting = {},
                    .seed = 5,
                    .seconds = 60,
                    .cases = cases,
                    .case_seconds = 0.3};
    testing::internal::CaptureStdout();
    const bool passed = run(work);
    std::fflush(stdout);
    return {passed, testing::internal::GetCapturedStdout()};
}

TEST(FuzzWorkers, PassWhereNothingFails) {
    const Result result = result_of(good_case);
    EXPECT_TRUE(result.passed);
    EXPECT_NE(result.printed.find("3 cases, 0 of them drawn invalid and refused; 0 failures"),
              std::string::npos)
        << result.printed;
}

TEST(FuzzWorkers, ReportEveryWayInWhichACaseFails) {
    struct {
        Case run;
        const char* line;
    } const ways[] = {
        {failing_case, "FAIL wrong: "},
        {refused_case, "FAIL refused: "},
        {crashing_case, "FAIL crash: a crash | signal 6"},
        {ending_case, "FAIL crash: "},
        {hanging_case, "FAIL hang: a hang | not done in 0.3 seconds"},
    };
    for (const auto& [way, line] : ways) {
        const Result result = result_of(way);
        EXPECT_FALSE(result.passed) << line;
        EXPECT_NE(result.printed.find(line), std::string::npos) << result.printed;
        for (const char* again : {"--only part --seed 5 --case 0 --cpu portable", "--case 1", "--case 2",
                                  "3 cases", "3 failures"})
            EXPECT_NE(result.printed.find(again), std::string::npos) << result.printed;
    }
}

} // namespace workers_test
} // namespace swirl::fuzz
