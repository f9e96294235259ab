// scripts/same_code, which compares the code that two builds generate.

#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace swirl {
namespace same_code_test {

support::Outcome compare_with(const std::filesystem::path& other, const std::string& options) {
    return support::run_command(support::quoted(SWIRL_SOURCE_DIR "/scripts/same_code") + " " +
                                support::quoted(SWIRL_BINARY_DIR) + " " + support::quoted(other.string()) +
                                " " + options);
}

TEST(SameCode, IsThatOfABuildAndItself) {
    const auto outcome = compare_with(SWIRL_BINARY_DIR, "--seed 1 --count 40 --jobs 2");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    EXPECT_NE(outcome.output.find("seed 1\n"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(" 0 different"), std::string::npos) << outcome.output;
}

TEST(SameCode, ReportsChangedLinesAndRefusals) {
    for (const char* does : {"echo '; more'", "exit 2"}) {
        const TemporaryFolder other, kept;
        std::filesystem::create_directory(other.path() / "bin");
        const auto program = other.path() / "bin" / "swirl";
        std::ofstream(program) << "#!/bin/sh\n" SWIRL_BINARY_DIR "/bin/swirl \"$@\" || exit $?\n"
                               << does << "\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        const auto outcome = compare_with(
            other.path(), "--seed 1 --count 6 --jobs 2 --keep " + support::quoted(kept.path().string()));
        EXPECT_EQ(outcome.status, 1) << outcome.output << outcome.errors;
        EXPECT_FALSE(std::filesystem::is_empty(kept.path())) << outcome.output;
    }
}

TEST(SameCode, NamesABuildWithoutTheProgram) {
    const TemporaryFolder other;
    const auto outcome = compare_with(other.path(), "--count 1");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("there is no"), std::string::npos) << outcome.errors;
}

} // namespace same_code_test
} // namespace swirl
