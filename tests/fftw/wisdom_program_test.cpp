#include "fftw/library.hpp"
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace swirl::test {
namespace wisdom_program_test {

using support::quoted;

/// fftw-wisdom and fftwf-wisdom, with a wisdom file of their own.
class WisdomProgram : public testing::Test {
protected:
    support::Outcome run(const std::string& arguments, const std::string& program = SWIRL_FFTW_WISDOM) const {
        return support::run_command("export SWIRL_WISDOM=:memory: && " + before_ + quoted(program) + " -n " +
                                    arguments);
    }
    std::string file(const std::string& name) const { return folder_.path() / name; }

    std::string before_; ///< runs first, with its output for the program if it ends with a pipe

private:
    TemporaryFolder folder_;
};

bool has_complex_plan(int n, unsigned flags) {
    const fftw_plan plan =
        SWIRL_CALL(double, plan_dft_1d)(n, nullptr, nullptr, FFTW_FORWARD, FFTW_WISDOM_ONLY | flags);
    SWIRL_CALL(double, destroy_plan)(plan);
    return plan != nullptr;
}

TEST_F(WisdomProgram, ProgramsImportWhatItWrites) {
    const auto outcome = run("-m -t 1e-4 -o " + quoted(file("wisdom")) + " cif20 rob12x14");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    SWIRL_CALL(double, forget_wisdom)();
    EXPECT_TRUE(SWIRL_CALL(double, import_wisdom_from_filename)(file("wisdom").c_str()));
    EXPECT_TRUE(has_complex_plan(20, FFTW_MEASURE));
    EXPECT_FALSE(has_complex_plan(21, FFTW_MEASURE));
    SWIRL_CALL(double, forget_wisdom)();
}

TEST_F(WisdomProgram, AddsToWisdomThatItReads) {
    ASSERT_EQ(run("-e -o " + quoted(file("first")) + " cof20").status, 0);
    const auto outcome = run("-e -w " + quoted(file("first")) + " cof24", SWIRL_FFTWF_WISDOM);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("\"dft 20\""), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("\"dft 24 float32\""), std::string::npos) << outcome.output;
}

TEST_F(WisdomProgram, PlansEveryTypeInOrderOfSize) {
    before_ = "echo 'ki4hx6e01 ko5fx2bx3o11 cof2x3' | ";
    const auto outcome = run("-v -e - kib7 rif1");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("size 'kib7': expected a length from 1 to 2147483647 at character 3"),
              std::string::npos)
        << outcome.errors;
    EXPECT_EQ(run("-v -e - rib4 rif1").errors, "rif1\nrib4\ncof2x3\nki4hx6e01\nko5fx2bx3o11\n");
}

TEST_F(WisdomProgram, PlansCanonicalSizesUntilTheTimeIsUp) {
    const auto outcome = run("-c -v -e -t 1e-5");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.errors.rfind("cof2\n", 0), 0U) << outcome.errors;
    EXPECT_NE(outcome.errors.find("fftw-wisdom: the time is up before "), std::string::npos)
        << outcome.errors;
}

TEST_F(WisdomProgram, NamesWhatCannotBe) {
    const auto expect_error = [&](const std::string& arguments, const std::string& message) {
        const auto outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments;
        EXPECT_NE(outcome.errors.find("fftw-wisdom: " + message), std::string::npos) << outcome.errors;
        EXPECT_EQ(outcome.output, "") << arguments;
    };
    expect_error("cof0", "size 'cof0': expected a length from 1 to 2147483647 at character 4;");
    expect_error("xof8", "size 'xof8': expected 'c', 'r' or 'k' at character 1;");
    expect_error("c8", "size 'c8': expected 'i' or 'o' at character 2;");
    expect_error("ki8", "size 'ki8': expected a kind (f, b, h, e00, e01, e10, e11, o00, o01, o10 or o11) at");
    expect_error("cof8,8", "size 'cof8,8': expected 'x' or the end at character 5;");
    expect_error("ko1e00", "there is no plan for 'ko1e00'");
    expect_error("-m -x cof8", "--measure excludes --exhaustive");
    expect_error("-w " + quoted(file("none")) + " cof8", "'" + file("none") + "' cannot be read or holds no");
    EXPECT_EQ(run("-o " + quoted(file("no/folder")) + " -e cof8").status, 1);
}

} // namespace wisdom_program_test
} // namespace swirl::test
