// A slice of the plans that `make check-plans` makes.

#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace swirl {
namespace planning_test {

constexpr const char* program = SWIRL_BINARY_DIR "/bin/bench_planning";

class PlansOfASweep : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(program)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    }
    support::Outcome run(const std::string& arguments) const {
        return support::run_command(support::quoted(program) + " --jobs 2 " + arguments);
    }
};

TEST_F(PlansOfASweep, SupportLengthsWithOneLargePrime) {
    const auto outcome = run("--slowest 30 --largest 2000 --problem 'avx512: dft 58275' 'avx2: dct3 116550'");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

TEST_F(PlansOfASweep, AreMadeForASampleOfIt) {
    const auto outcome =
        run("--seed 1 --seconds 10 --lengths 400 --count 400 --longest 65536 --grids 150 "
            "--gpu none --slowest 60 --largest 2000");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    EXPECT_EQ(outcome.output.substr(0, 6), "seed 1");
}

TEST_F(PlansOfASweep, SayWhatFails) {
    const auto outcome = run("--problem 'avx2: wht 12'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.output.find("failed: avx2: wht 12"), std::string::npos) << outcome.output;
}

} // namespace planning_test
} // namespace swirl
