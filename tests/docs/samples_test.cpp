#include <swirl/swirl.hpp>

#include "docs/document.hpp"
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace swirl {
namespace samples_test {

const std::string source_folder = SWIRL_SOURCE_DIR;

std::string document(const std::string& file) { return support::content_of(source_folder + "/" + file); }

/// The text of `file` between the first ```LANGUAGE and the next ```, after `heading`.
std::string sample(const std::string& file, const std::string& heading, const std::string& language) {
    const std::string text = document(file);
    const std::size_t section = text.find(heading + "\n");
    const std::string fence = "```" + language + "\n";
    const std::size_t begin = text.find(fence, section == std::string::npos ? text.size() : section);
    if (begin == std::string::npos) return file + ": no " + language + " sample under '" + heading + "'";
    const std::size_t first = begin + fence.size();
    return text.substr(first, text.find("```\n", first) - first);
}

struct Sample {
    const char* file;
    const char* heading;
    const char* language;
    const char* example; ///< the file that the build compiles
};

TEST(Samples, AreTheExamplesThatAreBuilt) {
    constexpr Sample samples[] = {
        {"README.md", "## A first program", "cpp", "examples/minimal.cpp"},
        {"docs/cpp-api.md", "## A first program", "cpp", "examples/first.cpp"},
        {"docs/cpp-api.md", "## Load and store callbacks", "cpp", "examples/filter.cpp"},
        {"docs/c-api.md", "## A first program", "c", "examples/first.c"},
        {"docs/wisdom.md", "### Use now, tune later", "cpp", "examples/tuned_later.cpp"},
        {"docs/gpu.md", "## A first program", "cpp", "examples/gpu.cpp"},
        {"docs/matrix-multiplication.md", "## A first program", "cpp", "examples/matrix_product.cpp"},
    };
    for (const Sample& shown : samples)
        EXPECT_EQ(sample(shown.file, shown.heading, shown.language), document(shown.example)) << shown.file;
}

TEST(Samples, ShowAnErrorAsItIsPrinted) {
    try {
        problem("dft 16x8 out=(3,1)");
        FAIL() << "no error";
    } catch (const UserError& error) {
        std::istringstream lines(error.what());
        std::string block;
        for (std::string line; std::getline(lines, line);) block += "    " + line + "\n";
        EXPECT_NE(document("docs/cpp-api.md").find("\n" + block), std::string::npos) << block;
    }
}

/// Every line `$ swirl …` of the page on the command line.
TEST(Samples, ShowCommandsThatWork) {
    const TemporaryFolder folder;
    std::istringstream lines(sample("docs/command-line.md", "# The command line", "console"));
    int commands = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("$ swirl ", 0) != 0) continue;
        ++commands;
        const auto outcome = docs::run_console_line(folder, line);
        EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.errors;
        EXPECT_TRUE(!outcome.output.empty() || !support::names_in(folder).empty())
            << line << " prints and writes nothing";
    }
    EXPECT_GE(commands, 5);
}

TEST(FirstPrograms, FindTheTwoLinesOfACosine) {
    for (const char* program : {"example_first_cpp", "example_first_c"}) {
        const auto outcome = support::run_command(std::string(SWIRL_BINARY_DIR "/bin/") + program);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        std::istringstream lines(outcome.output);
        std::string schedule;
        std::getline(lines, schedule);
        EXPECT_NE(schedule.find(": 0 "), std::string::npos) << schedule;
        int k = 0, count = 0;
        for (double magnitude = 0; lines >> k >> magnitude; ++count)
            EXPECT_NEAR(magnitude, k == 3 || k == 13 ? 8 : 0, 1e-3) << program << ": " << k;
        EXPECT_EQ(count, 16) << program;
    }
}

TEST(FilterProgram, SmoothsAStep) {
    const auto outcome = support::run_command(SWIRL_BINARY_DIR "/bin/example_filter_cpp");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream lines(outcome.output);
    int i = 0, count = 0;
    for (double value = 0; lines >> i >> value; ++count)
        EXPECT_NEAR(value, i < 450 ? 0 : std::min((i - 449) / 125.0, 1.0), 1e-3) << i;
    EXPECT_EQ(count, 9);
}

TEST(WaveletProgram, RemovesNoise) {
    const auto outcome = support::run_command(SWIRL_BINARY_DIR "/bin/example_wavelets_cpp");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

TEST(StftProgram, FollowsATone) {
    const auto outcome = support::run_command(SWIRL_BINARY_DIR "/bin/example_stft_cpp");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream lines(outcome.output);
    int count = 0;
    std::string second, hertz;
    for (double time = 0, frequency = 0; lines >> time >> second >> frequency >> hertz; ++count)
        if (time < 0.95) {
            EXPECT_NEAR(frequency, 1000 + 2000 * time, 32) << time;
        }
    EXPECT_EQ(count, 10);
}

TEST(FirstPrograms, ThoseThatPrintNothingRun) {
    EXPECT_EQ(support::run_command(SWIRL_BINARY_DIR "/bin/example_minimal_cpp").status, 0);
    EXPECT_EQ(support::run_command(SWIRL_BINARY_DIR "/bin/example_tuned_later_cpp").status, 0);
}

TEST(DistributedProgram, InCTransformsOnThreads) {
    const auto outcome = support::run_command(SWIRL_BINARY_DIR "/bin/example_distributed_c");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "4 ranks are right\n");
}

} // namespace samples_test
} // namespace swirl
