#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace swirl {
namespace report_script_test {

class Report : public testing::Test {
protected:
    Report() {
        std::ofstream(file())
            << R"({"run":{"command":"bench x","date":"2026-01-02T03:04:05Z","threads":1,"machine":{"cpu":"A CPU"}}}
{"problem":"dft 64","flops":1920,"floors":{"arithmetic":1e-8,"traffic":4e-8},"libraries":{"swirl":{"median":1e-7,"planning":0.01},"fftw":{"median":2e-7,"planning":1,"made_by":"fftw-3.3"},"mkl":{"median":9e-8,"made_by":"MKL"}}}
{"problem":"dft 16x8 float32 batch=3","flops":13440,"libraries":{"swirl":{"median":2e-6},"fftw":{"median":1.6e-6}},"absent":{"mkl":"no such"}}
{"problem":"gemm 40x40x40 float64","flops":128000,"libraries":{"swirl":{"median":1e-6},"blis":{"wrong":true}}}
)";
    }
    std::string file() const { return (folder_.path() / "results.jsonl").string(); }
    support::Outcome report(const std::string& arguments = "") const {
        return support::run_command("python3 " SWIRL_SOURCE_DIR "/scripts/report " + support::quoted(file()) +
                                    " " + arguments);
    }

    const TemporaryFolder folder_;
};

TEST_F(Report, MakesTablesOfRows) {
    const auto outcome = report();
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* expected :
         {"    bench x\n\non 2026-01-02, A CPU.\n\n- fftw: fftw-3.3\n- mkl: MKL\n- mkl, where absent: no "
          "such\n",
          "| time over swirl's | problems | below 0.95 | 5th percentile | median | least | geometric mean |\n"
          "|---|---:|---:|---:|---:|---:|---:|\n"
          "| fftw | 2 | 50% | 0.80 | 1.40 | 0.80 | 1.26 |\n"
          "| mkl | 1 | 100% | 0.90 | 0.90 | 0.90 | 0.90 |\n"
          "| the fastest of them | 2 | 100% | 0.80 | 0.85 | 0.80 | 0.85 |\n",
          "| dft, 1-D | 1 | 0.90 | 0.90 | 40% |\n| dft, 2-D, batch | 1 | 0.80 | 0.80 | - |\n"
          "| gemm, square, float64 | 1 | - | - | - |\n",
          "| `dft 16x8 float32 batch=3` | 2 µs | - | 0.80 | - |\n| `dft 64` | 100 ns | 40% | 2.00 | 0.90 |\n",
          "| swirl | 10 ms | 10 ms | 10 ms |\n", "- wrong: blis, `gemm 40x40x40 float64`"})
        EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << " in\n" << outcome.output;
}

TEST_F(Report, WritesPageBetweenMarkersAndThumbnail) {
    const auto page = folder_.path() / "page.md", picture = folder_.path() / "picture.svg";
    std::ofstream(page) << "# Title\n\n<!-- measured -->\nold\n<!-- end -->\nafter\n";
    const auto outcome = report("--page " + support::quoted(page.string()) + " --picture " +
                                support::quoted(picture.string()));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    std::ifstream stream(page);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    EXPECT_TRUE(text.starts_with("# Title\n\n<!-- measured -->\n    bench x\n")) << text;
    EXPECT_TRUE(text.ends_with("<!-- end -->\nafter\n")) << text;
    EXPECT_EQ(text.find("old"), std::string::npos);
    EXPECT_LT(std::filesystem::file_size(picture), 50'000U);
}

TEST_F(Report, ComparesWithAnotherLibrary) {
    const auto outcome = report("--library fftw");
    EXPECT_NE(outcome.output.find("| swirl | 2 | 50% | 0.50 |"), std::string::npos) << outcome.output;
}

} // namespace report_script_test
} // namespace swirl
