// Formulas as problems on the command line.
#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace swirl {
namespace formula_command_test {

using support::quoted;

const std::string example = quoted("formula (DFT(2) ⊗ I(4)) · T(8,4) · (I(2) ⊗ DFT(4)) · L(8,2)");
const std::string in_ascii = quoted("formula (DFT(2) (x) I(4)) * T(8,4) * (I(2) (x) DFT(4)) * L(8,2)");

void expect_output(const support::Outcome& outcome, const std::vector<std::string>& phrases) {
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::size_t at = 0;
    for (const std::string& expected : phrases) {
        const std::size_t found = outcome.output.find(expected, at);
        EXPECT_NE(found, std::string::npos) << expected << " in\n" << outcome.output;
        if (found != std::string::npos) at = found;
    }
}

TEST(FormulaCommands, PlanBothSpellings) {
    for (const std::string& text : {example, in_ascii})
        expect_output(run_swirl("plan " + text),
                      {"problem    formula (DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)", "schedule",
                       ": 0 formula", "flops"});
    expect_output(run_swirl("plan --device sm_90 " + example + " complex64 batch=100"),
                  {"schedule", "sm_90: 0 formula"});
}

TEST(FormulaCommands, VerifyOnEveryCpu) {
    for (const char* cpu : {"portable", "sse2", "avx2", "avx512"}) {
        const auto outcome =
            run_swirl(std::string("verify --cpu ") + cpu + " " + example +
                      " formula 'DCT2(8) ⊗ DCT3(4) float32 batch=3' formula 'DFT(1000) ⊕ WHT(64)' "
                      "formula 'RDFT(30, backward) ⊗ DFT(5) complex64'");
        if (outcome.status != 0 && outcome.errors.find("lacks its instructions") != std::string::npos)
            continue;
        expect_output(outcome, {"4 of 4 problems within 3 units"});
    }
    expect_output(run_swirl("verify formula 'DFT(2048) ⊗ DCT4(128)'"),
                  {"1 of 1 problems"}); // by fast transforms
}

TEST(FormulaCommands, TakeTheScheduleBack) {
    expect_output(run_swirl("verify formula 'DFT(64) ⊗ I(3)' --schedule 'sse2: 0 formula[stockham(8,8)]'"),
                  {"1 of 1 problems"});
    expect_output(run_swirl("verify " + example + " --schedule 'sse2: 0 formula-codelet'"),
                  {"1 of 1 problems"});
    EXPECT_EQ(run_swirl("plan " + example + " --schedule 'sse2: 0 codelet'").status, 2);
    EXPECT_EQ(run_swirl("plan dft 8 --schedule 'sse2: 0 formula'").status, 2);
}

TEST(FormulaCommands, ExplainTheDerivation) {
    const std::string text = quoted("formula (I(2) ⊗ L(4, 2)) · (I(2) ⊗ DFT(4)) · L(8, 2) · L(8, 4)");
    expect_output(run_swirl("explain --cpu sse2 --full " + text),
                  {"formula (I(2) ⊗ L(4, 2)) · (I(2) ⊗ DFT(4)) · L(8, 2) · L(8, 4)", "sse2: 0 formula",
                   "identities", "(I_k ⊗ A)(I_k ⊗ B) → I_k ⊗ AB: ", "\nformula\n", "loop merging",
                   "loops, after 'build'", "\nir", "\ncode"});
    expect_output(run_swirl("explain --device sm_90 --full " + text + " complex64"),
                  {"sm_90: 0 formula", "identities", "loops of kernel 1, after 'place gpu tags'", "\nir",
                   "\nlaunch", ".entry"});
    expect_output(run_swirl("explain --json --cpu sse2 " + text),
                  {"\"schedule\": \"sse2: 0 formula", "\"estimate\""});
}

TEST(FormulaCommands, EmitCppThatComputesTheFormula) {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return quoted((folder.path() / name).string()); };
    const auto emitted = run_swirl("emit " + example + " --function transform -o " + path("kernel.cpp") +
                                   " --header " + path("kernel.hpp"));
    ASSERT_EQ(emitted.status, 0) << emitted.errors;
    std::ofstream(folder.path() / "main.cpp") << R"(#include "kernel.hpp"
#include <cmath>
#include <complex>
#include <vector>
int main() {
  std::vector<std::complex<double>> x(8), y(8);
  x[1] = 1;
  double* const from = reinterpret_cast<double*>(x.data());
  double* const to = reinterpret_cast<double*>(y.data());
#ifdef transform_workspace_bytes
  std::vector<char> workspace(transform_workspace_bytes + 64);
  transform(from, to, workspace.data());
#else
  transform(from, to);
#endif
  for (int k = 0; k < 8; ++k)
    if (std::abs(y[k] - std::polar(1.0, -2 * M_PI * k / 8)) > 1e-15) return 1;
}
)";
    const auto compiled =
        support::run_command(std::string(SWIRL_CXX_COMPILER) + " -std=c++17 -O1 -Wall -Wextra " +
                             path("kernel.cpp") + " " + path("main.cpp") + " -o " + path("main"));
    ASSERT_EQ(compiled.status, 0) << compiled.errors;
    EXPECT_EQ(support::run_command(path("main")).status, 0);
    for (const char* language : {"cuda", "hip", "opencl"})
        expect_output(run_swirl(std::string("emit --language ") + language + " " + example + " complex64"),
                      {"// formula (DFT(2)"});
}

TEST(FormulaCommands, SayWhatIsWrong) {
    const auto outcome = run_swirl("plan 'formula DFT(4) · DFT(8)'");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("product of a 4×4 and a 8×8 matrix"), std::string::npos) << outcome.errors;
}

} // namespace formula_command_test
} // namespace swirl
