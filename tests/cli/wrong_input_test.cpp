// What people type who know other programs, or in haste: each is answered in one line, with the nearest right word.

#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace swirl {
namespace wrong_input_test {

struct WrongInput {
    const char* arguments;
    const char* words; ///< that the answer has
};

constexpr WrongInput wrong_inputs[] = {
    // commands
    {"verfy dft 8", "there is no command 'verfy'; did you mean 'verify'?"},
    {"benchmark dft 8", "did you mean 'bench'?"},
    {"time dft 8", "did you mean 'bench'?"},
    {"test dft 8", "did you mean 'verify'?"},
    {"check dft 8", "did you mean 'verify'?"},
    {"generate dft 8", "did you mean 'emit'?"},
    {"info", "did you mean 'doctor'?"},
    {"rfft 8", "to plan a problem write: swirl plan rfft …"},
    {"sgemm 10x10x10", "swirl plan sgemm …"},
    {"1024", "swirl plan 1024 …"},
    {"fly", "swirl has plan, show, explain"},
    {"help pla", "there is no command 'pla' to help with"},
    {"wisdom show", "did you mean 'list'?"},
    {"wisdom remove", "did you mean 'forget'?"},
    {"wisdom", "swirl wisdom needs a command: list, export, import, forget"},
    {"cache clean", "did you mean 'clear'?"},
    {"cache", "swirl cache needs a command: list"},
    // options
    {"plan dft 8 --effort patient", "'swirl plan' has no option '--effort'; did you mean '--measure'?"},
    {"plan dft 8 --patient", "did you mean '--exhaustive'?"},
    {"plan dft 8 --mesure", "did you mean '--measure'?"},
    {"plan dft 8 --thread 2", "did you mean '--threads'?"},
    {"plan dft 8 -t 2", "did you mean '--threads'?"},
    {"plan dft 8 --gpu", "did you mean '--device gpu'?"},
    {"plan dft 8 --accuracy low", "did you mean '--gemm-accuracy'?"},
    {"plan dft 8 --recipe x", "did you mean '--schedule'?"},
    {"plan dft 8 --zzzzzzzzz", "see swirl plan --help"},
    {"emit dft 8 --lang cuda", "did you mean '--language'?"},
    {"plan dft 8 --threads all", "--threads is 'all', which is no number"},
    {"plan dft 8 --device cuda", "use cpu, gpu"},
    {"plan dft 8 --device gpu:x", "use cpu, gpu"},
    {"plan dft 8 --cpu zen4", "the names are portable, sse2, avx2, avx512, neon"},
    {"plan dft 8 --schedule foo", "begin with one, as 'avx2: …'"},
    // transforms
    {"plan", "name one, for example 'dft 1024'"},
    {"plan 1024", "a transform before the lengths, as in 'dft 1024'"},
    {"plan dct 8", "did you mean 'dct2'?"},
    {"plan idct 8", "did you mean 'dct3'?"},
    {"plan dct9 8", "did you mean 'dct1'?"},
    {"plan conv 8", "did you mean 'convolution'?"},
    {"plan fft2 8x8", "did you mean 'dft'?"},
    {"plan hadamard 8", "did you mean 'wht'?"},
    {"plan walsh 8", "did you mean 'wht_sequency'?"},
    {"plan paley 8", "did you mean 'wht_dyadic'?"},
    {"plan czt 100", "did you mean 'formula CZT(n, m, start, step)'?"},
    {"plan mdct 64", "did you mean 'formula MDCT(n) float64'?"},
    {"plan formula 'MDCT(5)'", "must be even"},
    {"plan dwt 100", "did you mean 'formula DWT(n, db4, levels, symmetric) float64'?"},
    {"plan formula 'DWT(8, db11)' float64", "expected a wavelet (haar, db2 … db10, cdf5/3 or cdf9/7)"},
    {"plan formula 'FIR(3, valid; 1, 2, 3, 4)' float64", "have no valid output"},
    {"plan formula 'CZT(5, 3, 0.1, 1/0)'", "the denominator is 0"},
    {"plan formula 'WHT(8, gray)'", "'natural', 'dyadic' or 'sequency'"},
    {"plan formula 'CZT(5, 3, 0.1, 0.2)' float64", "complex entries"},
    {"plan formula 'CZT(5, 3, 0.1, 0.2)' inplace", "use an out-of-place one"},
    {"plan DFT 8", "did you mean 'dft'?"},
    {"plan wht 10", "a power of two, such as 8 or 16"},
    // lengths
    {"plan dft", "expected a length, such as 64 or 2^10"},
    {"plan dft 0", "lengths are at least 1"},
    {"plan dft -8", "lengths are at least 1"},
    {"plan dft 8.5", "lengths are integers"},
    {"plan dft 1e6", "write powers as 10^6"},
    {"plan dft 8,8", "lengths are separated by 'x', as in 8x8"},
    {"plan dft 1024 1024", "lengths are one word, separated by 'x', as in 8x8"},
    {"plan dft '8 x 8'", "separated by 'x', as in 8x8"},
    {"plan dft 8x", "expected a length"},
    {"plan dft 99999999999999999999", "a number that fits in 64 bits"},
    // options of transforms
    {"plan dft 8 float", "did you mean 'float32'?"},
    {"plan dft 8 fp16", "did you mean 'float16'?"},
    {"plan dft 8 F32", "did you mean 'float32'?"},
    {"plan dft 8 bf16", "did you mean 'bfloat16'?"},
    {"plan dft 8 in-place", "did you mean 'inplace'?"},
    {"plan dft 8 bacward", "did you mean 'backward'?"},
    {"plan dft 8 stride=2", "did you mean 'strides='?"},
    {"plan dft 8 istride=2", "did you mean 'in='?"},
    {"plan dft 8 howmany=2", "did you mean 'batch='?"},
    {"plan dft 8 ortho", "did you mean 'norm=ortho'?"},
    {"plan dft 8 norm=foo", "a norm, one of backward ortho forward"},
    {"plan dft 8 batch", "did you mean 'batch'?"},
    {"plan dft 8 batch=-1", "counts are at least 1"},
    {"plan dft 8 sideways", "one of forward backward float64"},
    {"plan formula 'DFT(2'", "expected ')'"},
    // products
    {"plan gemm 100", "a product has three, m, n and k, as in gemm 100x80x60"},
    {"plan gemm 10,10,10", "a product has three"},
    {"plan gemm 10x10", "a product has three"},
    {"plan gemm 10x10x10 transA", "did you mean 'a=rows'?"},
    {"plan gemm 10x10x10 a=T", "did you mean 'rows'?"},
    {"plan gemm 10x10x10 fp8", "did you mean 'a=float8_e4m3 b=float8_e4m3'?"},
    {"plan gemm 10x10x10 half", "did you mean 'a=float16 b=float16'?"},
    {"plan gemm 10x10x10 epilog=x", "did you mean 'epilogue'?"},
    {"plan gem 10x10x10", "did you mean 'gemm'?"},
};

TEST(CommandLine, AnswersWrongInputsWithTheNearestRightWord) {
    for (const WrongInput& wrong : wrong_inputs) {
        SCOPED_TRACE(wrong.arguments);
        const auto outcome = run_swirl(wrong.arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.output;
        EXPECT_EQ(outcome.output, "");
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
        EXPECT_NE(outcome.errors.find(wrong.words), std::string::npos) << outcome.errors;
    }
}

TEST(CommandLine, HelpIsACommandToo) {
    const auto whole = run_swirl("help");
    EXPECT_EQ(whole.status, 0) << whole.errors;
    EXPECT_EQ(whole.output, run_swirl("--help").output);
    EXPECT_EQ(whole.output, run_swirl("").output);
    EXPECT_EQ(run_swirl("help plan").output, run_swirl("plan --help").output);
    EXPECT_EQ(run_swirl("help wisdom export").output, run_swirl("wisdom export --help").output);
    EXPECT_EQ(run_swirl("version").output, run_swirl("--version").output);
}

TEST(CommandLine, OnlyPagesWithProblemsSayHowToWriteThem) {
    EXPECT_NE(run_swirl("help plan").output.find("PROBLEM is a transform"), std::string::npos);
    EXPECT_EQ(run_swirl("help cache list").output.find("PROBLEM is a transform"), std::string::npos);
}

/// The commands that a page lists, and those of theirs.
void expect_examples(const std::string& command) {
    const std::string page = run_swirl("help" + command).output;
    const std::size_t examples = page.find("For example:\n");
    ASSERT_NE(examples, std::string::npos) << "help" << command;
    EXPECT_NE(page.find("swirl" + command, examples), std::string::npos) << page;
    std::istringstream lines(page.substr(std::min(page.find("Subcommands:\n"), page.size())));
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line) && line.rfind("  ", 0) == 0;)
        if (line[2] != ' ') expect_examples(command + " " + line.substr(2, line.find(' ', 2) - 2));
}

TEST(CommandLine, EachPageHasExamplesOfItsOwn) { expect_examples(""); }

TEST(CommandLine, ErrorsAreJsonWhereJsonIsWanted) {
    const auto wrong = run_swirl("plan dft 0 --json");
    EXPECT_EQ(wrong.status, 2);
    const auto error = nlohmann::json::parse(wrong.output)["error"];
    EXPECT_EQ(error["status"], 2);
    EXPECT_NE(error["message"].get<std::string>().find("lengths are at least 1"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(run_swirl("bench dft 8 --json --peers x").output)["error"]["status"], 2);
    EXPECT_EQ(run_swirl("plan dft 0").output, "");
}

} // namespace wrong_input_test
} // namespace swirl
