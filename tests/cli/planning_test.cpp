// A slice of the plans that `make check-plans` makes.

#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace swirl {
namespace {

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

TEST_F(PlansOfASweep, AreMadeForLengthsWhoseSmoothPartAloneWouldBeSwept) {
    const auto outcome = run("--slowest 30 --largest 2000 --problem 'avx512: dft 58275' 'avx2: dct3 116550'");
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

TEST_F(PlansOfASweep, AreTheSameForTheSameSeed) {
    const std::string few = "--seed 3 --lengths 0 --count 0 --grids 3 --gpu none --largest 0";
    const auto first = run(few), second = run(few);
    EXPECT_EQ(first.output.substr(0, 6), "seed 3");
    EXPECT_EQ(first.status, second.status);
}

} // namespace
} // namespace swirl
