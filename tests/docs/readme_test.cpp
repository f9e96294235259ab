#include <swirl/swirl.hpp>

#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace swirl {
namespace {

const std::string source_folder = SWIRL_SOURCE_DIR;

/// The text of README.md between ```LANGUAGE and ``` that follows `heading`.
std::string sample(const std::string& heading, const std::string& language) {
    const std::string readme = support::content_of(source_folder + "/README.md");
    const std::size_t section = readme.find("\n" + heading + "\n");
    const std::string fence = "```" + language + "\n";
    const std::size_t begin = readme.find(fence, section == std::string::npos ? readme.size() : section);
    if (begin == std::string::npos) return "no sample in " + language + " under '" + heading + "'";
    const std::size_t first = begin + fence.size();
    return readme.substr(first, readme.find("```\n", first) - first);
}

TEST(Readme, ShowsTheFirstProgramsAsTheyAreBuilt) {
    EXPECT_EQ(sample("## A first program", "cpp"),
              support::content_of(source_folder + "/examples/first.cpp"));
    EXPECT_EQ(sample("### Matrix products", "cpp"),
              support::content_of(source_folder + "/examples/matrix_product.cpp"));
    EXPECT_EQ(sample("### In C", "c"), support::content_of(source_folder + "/examples/first.c"));
    EXPECT_EQ(sample("### On an NVIDIA GPU", "cpp"),
              support::content_of(source_folder + "/examples/gpu.cpp"));
}

TEST(Readme, ShowsAnErrorAsItIsSaid) {
    try {
        problem("dft 16x8 out=(3,1)");
        FAIL() << "no error";
    } catch (const UserError& error) {
        std::istringstream lines(error.what());
        std::string block;
        for (std::string line; std::getline(lines, line);) block += "    " + line + "\n";
        EXPECT_NE(support::content_of(source_folder + "/README.md").find("\n" + block), std::string::npos)
            << block;
    }
}

/// Every line `$ swirl …`.
TEST(Readme, ShowsCommandsThatWork) {
    const TemporaryFolder folder;
    std::istringstream lines(sample("### On the command line", "console"));
    int commands = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("$ swirl ", 0) != 0) continue;
        ++commands;
        const auto outcome =
            support::run_command("cd " + support::quoted(folder.path().string()) +
                                 " && PATH=" + support::quoted(SWIRL_BINARY_DIR "/bin") +
                                 ":$PATH SWIRL_WISDOM=wisdom.sqlite SWIRL_KERNEL_CACHE=kernels " +
                                 line.substr(2, line.find("  #") - 2));
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
        std::string recipe;
        std::getline(lines, recipe);
        EXPECT_NE(recipe.find(": 0 "), std::string::npos) << recipe;
        int k = 0, count = 0;
        for (double magnitude = 0; lines >> k >> magnitude; ++count)
            EXPECT_NEAR(magnitude, k == 3 || k == 13 ? 8 : 0, 1e-3) << program << ": " << k;
        EXPECT_EQ(count, 16) << program;
    }
}

} // namespace
} // namespace swirl
