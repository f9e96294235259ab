#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

namespace swirl {
namespace usage_test {

/// One clear line on standard error, nothing on standard output.
void expect_complaint(const support::Outcome& outcome, int status, const std::string& words) {
    EXPECT_EQ(outcome.status, status) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_EQ(outcome.errors.rfind("swirl: ", 0), 0U) << outcome.errors;
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
}

struct Mistake {
    const char* arguments;
    const char* words; ///< that the complaint has
};

TEST(CommandLine, MistakesExitWithTwoAndOneLine) {
    const Mistake mistakes[] = {
        {"fly", "there is no command 'fly'"},
        {"plan", "no problem is given"},
        {"plan dft", "expected a length"},
        {"plan dft x", "at character 5 of 'dft x'"},
        {"plan fht 8", "expected a transform"},
        {"plan dft 0", "length of dimension 0 is 0"},
        {"plan dft 8 sideways", "expected an option"},
        {"plan dft 8 dft 16", "this command takes one"},
        {"plan dft 8 --wrong", "--wrong"},
        {"plan dft 8 --cpu abacus", "abacus"},
        {"plan dft 8 --schedule nonsense", "nonsense"},
        {"plan wht 12", "power of two"},
        {"show dft 8 --stage soup", "use one of formula, ir"},
        {"show dft 8 --stage ir --latex", "--latex"},
        {"verify dft 8 --sizes 1..4", "write the letter n"},
        {"verify --sizes 4..1", "--sizes is '4..1'"},
        {"verify --sizes 1..many", "--sizes"},
        {"verify --sizes 0..4", "--sizes"},
        {"bench dft 8 --peers matlab", "matlab"},
        {"bench dft 8 --seconds soon", "soon"},
        {"report", "FILE is required"},
        {"report nothing.jsonl", "nothing.jsonl cannot be read"},
        {"emit dft 8 --function 8ball", "8ball"},
        {"wisdom", "needs a command"},
        {"wisdom forget", "nothing to forget"},
        {"wisdom forget --all --device x", "exclude"},
        {"cache", "needs a command"},
        {"cache import", "FILE is required"},
        {"probe --seconds", "--seconds"},
        {"tune", "no problem is given"},
        {"tune dft 8 --sizes 5", "--sizes goes with 'swirl tune gemm'"},
        {"tune dft 8 --secnds 5", "did you mean '--seconds'?"},
        {"tune dft 8 --effort patient", "patient"},
        {"tune dft 8 --device abacus", "--device is 'abacus'"},
        {"tune --draw numbers", "numbers"},
        {"tune --draw transforms --types float31", "--types has 'float31'"},
        {"tune --problems /nonexistent", "cannot be read"},
        {"record", "no program is given"},
        {"tune gemm --data-type float16", "--data-type is 'float16'"},
        {"tune gemm --seconds soon", "soon"},
    };
    for (const Mistake& mistake : mistakes) {
        SCOPED_TRACE(mistake.arguments);
        expect_complaint(run_swirl(mistake.arguments), 2, mistake.words);
    }
}

TEST(CommandLine, HelpAndVersionAreNoMistakes) {
    for (const char* arguments :
         {"--help", "-h", "plan --help", "show --help", "explain --help", "ladder --help", "report --help",
          "verify --help", "bench --help", "emit --help", "probe --help", "tune --help", "tune gemm --help",
          "record --help", "wisdom --help", "wisdom list --help", "cache --help", "cache import --help"}) {
        const auto outcome = run_swirl(arguments);
        EXPECT_EQ(outcome.status, 0) << arguments;
        EXPECT_NE(outcome.output.find("Usage:"), std::string::npos) << arguments;
        EXPECT_EQ(outcome.errors, "") << arguments;
    }
    const auto version = run_swirl("--version");
    EXPECT_EQ(version.status, 0);
    EXPECT_EQ(version.output.rfind("swirl ", 0), 0U) << version.output;
}

TEST(CommandLine, TakesProblemsAsOneWordOrSeveral) {
    const auto several = run_swirl("show dft 4x2 backward --stage formula");
    const auto one = run_swirl("show --stage formula 'dft 4x2 backward'");
    EXPECT_EQ(several.status, 0) << several.errors;
    EXPECT_EQ(one.output, several.output);
}

TEST(CommandLine, FailsWhenStandardOutputIsFull) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
    const auto outcome = run_swirl("show dft 8 --stage asm >/dev/full");
    expect_complaint(outcome, 1, "standard output");
}

} // namespace usage_test
} // namespace swirl
