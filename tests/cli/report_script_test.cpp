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
    const std::string light = support::content_of(picture),
                      dark = support::content_of(folder_.path() / "picture-dark.svg");
    for (const std::string& drawn : {light, dark}) {
        EXPECT_LT(drawn.size(), 50'000U);
        for (const char* library : {">swirl<", ">fftw<", ">mkl<", ">Gflop/s<"})
            EXPECT_NE(drawn.find(library), std::string::npos) << library;
    }
    EXPECT_NE(light.find("fill=\"white\""), std::string::npos);
    EXPECT_EQ(dark.find("fill=\"white\""), std::string::npos);
}

TEST_F(Report, ComparesWithAnotherLibrary) {
    const auto outcome = report("--library fftw");
    EXPECT_NE(outcome.output.find("| swirl | 2 | 50% | 0.50 |"), std::string::npos) << outcome.output;
}

/// The end of `make demo`.
TEST(DemoSummary, SaysWhatWasSeenInThreeSentences) {
    const TemporaryFolder folder;
    const auto in_folder = [&](const char* name) { return support::quoted((folder.path() / name).string()); };
    const std::string entry =
        R"({"name": "x", "median_seconds": %s, "error": {"relative_l2": 1e-16, "units": %s}})";
    const auto with = [&](const std::string& seconds, const std::string& units) {
        std::string text = entry;
        text.replace(text.find("%s"), 2, seconds);
        return text.replace(text.find("%s"), 2, units);
    };
    std::ofstream(folder.path() / "bench.json")
        << R"({"results": [{"problem": "dft 64", "entries": [)" << with("1e-6", "0.2") << ","
        << with("5e-6", "0.1") << "," << with("4e-6", "0.3") << R"(]}, {"problem": "dft 7", "entries": [)"
        << with("2e-6", "0.5") << "," << with("1e-6", "0.4") << "]}]}";
    std::ofstream(folder.path() / "filter.txt") << "x\nfiltered in 10.77 ms, kept 22.3% of the energy\n";
    const auto outcome =
        support::run_command("python3 " SWIRL_SOURCE_DIR "/scripts/demo_summary " + in_folder("bench.json") +
                             " " + in_folder("filter.txt") + " " + in_folder("table.txt"));
    EXPECT_EQ(
        outcome.output,
        "A filter of two FFTs over the whole recording took 10.77 ms and kept 22.3% of its energy.\n"
        "swirl was faster than FFTW at 1 of 2 lengths: 1.41 times in the geometric mean, from 0.50 (dft 7) "
        "to 4.00 (dft 64).\n"
        "swirl's largest error is 0.50 units of epsilon*sqrt(log2 n), FFTW's 0.40.\n")
        << outcome.errors;
    const std::string table = support::content_of(folder.path() / "table.txt");
    EXPECT_NE(table.find("dft 64         1.000 µs    4.000 µs        4.00       0.20       0.30\n"),
              std::string::npos)
        << table;
}

} // namespace report_script_test
} // namespace swirl
