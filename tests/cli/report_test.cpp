#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>
#include <vector>

namespace swirl {
namespace report_test {

using nlohmann::json;

constexpr const char* run_line =
    R"({"run":{"command":"bench x","date":"2026-01-02T03:04:05Z","seed":7,"device":"cpu","threads":1,"label":"a </script><b>label","machine":{"cpu":"A CPU","flops_float64":8e10,"flops_float32":16e10,"copy_bytes_per_second":{"L1":3e11,"memory":1e10}}}}
)";

/// Four problems, each with times of several libraries.
constexpr const char* rows =
    R"--({"problem":"dft 64","flops":1920,"floors":{"arithmetic":1e-8,"traffic":4e-8},"libraries":{"swirl":{"median":1e-7,"minimum":9e-8,"planning":0.01,"distance":2e-16,"made_by":"avx512: 0 stockham(8,8)"},"fftw":{"median":2e-7,"made_by":"fftw-3.3, <img src=x>"},"mkl":{"median":9e-8,"distance":1e-16,"made_by":"MKL"}}}
{"problem":"dft 16x8 float32 batch=3","flops":13440,"libraries":{"swirl":{"median":2e-6,"made_by":"avx512: 0 stockham(4,4); 1 stockham(8)"},"fftw":{"median":1.6e-6}},"absent":{"mkl":"no such"}}
{"problem":"rdft 1000","flops":24914,"libraries":{"swirl":{"median":3e-6,"distance":3e-16,"made_by":"avx512: 0 rdft-stockham(10,10,10)"},"fftw":{"median":6e-6}}}
{"problem":"gemm 40x40x40 float64","flops":128000,"libraries":{"swirl":{"median":1e-6,"made_by":"avx512: 0 stockham"},"blis":{"wrong":true,"distance":0.5}}}
)--";

/// With swirl's times multiplied by `factors`.
std::string results(const std::vector<double>& factors = {1, 1, 1, 1}) {
    std::string text = run_line;
    std::istringstream lines(rows);
    std::string line;
    for (const double factor : factors) {
        std::getline(lines, line);
        json row = json::parse(line);
        json& median = row["libraries"]["swirl"]["median"];
        median = median.get<double>() * factor;
        text += row.dump() + "\n";
    }
    return text;
}

/// What is between the tags of the page's data.
json data_of(const std::string& page) {
    const std::string tag = R"(<script type="application/json" id="data">)";
    const std::size_t begin = page.find(tag) + tag.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

class ReportPage : public testing::Test {
protected:
    ReportPage() { write("results.jsonl", results()); }

    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    support::Outcome report(const std::string& arguments) const {
        return run_swirl("report " + arguments + " -o " + support::quoted(path("page.html")));
    }
    std::string page() const { return support::content_of(path("page.html")); }
    /// Of a file of this text that is no file of results.
    std::string complaint_about(const std::string& text) const {
        write("wrong.jsonl", text);
        const auto outcome = report(path("wrong.jsonl"));
        EXPECT_EQ(outcome.status, 2) << text << outcome.output;
        EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
        EXPECT_FALSE(std::filesystem::exists(path("page.html"))) << text;
        return outcome.errors;
    }

    const TemporaryFolder folder_;
};

TEST_F(ReportPage, HasAllDataAndNeedsNoOtherFile) {
    const auto outcome = report(path("results.jsonl"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("page.html: 4 problems"), std::string::npos) << outcome.output;
    const std::string text = page();
    EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(text.ends_with("</html>\n"));
    for (const char* part : {"{{style}}", "{{data}}", "{{chart_library}}", "{{script}}"})
        EXPECT_EQ(text.find(part), std::string::npos) << part;
    for (const char* reference : {"src=\"", "@import", "url(", "<link"})
        EXPECT_EQ(text.substr(0, text.find("id=\"data\"")).find(reference), std::string::npos) << reference;
    const json data = data_of(text);
    ASSERT_EQ(data["rows"].size(), 4U);
    EXPECT_EQ(data["runs"][0]["label"], "a </script><b>label");
    EXPECT_EQ(data["runs"][0]["machine"]["flops_float64"], 8e10);
    std::istringstream lines(results());
    std::string line;
    std::getline(lines, line);
    for (const json& row : data["rows"]) {
        std::getline(lines, line);
        const json given = json::parse(line);
        EXPECT_EQ(row["problem"], given["problem"]);
        EXPECT_EQ(row["flops"], given["flops"]);
        EXPECT_EQ(row["floors"], given.value("floors", json::object()));
        for (const auto& [name, entry] : given["libraries"].items())
            for (const auto& [member, value] : entry.items())
                EXPECT_EQ(row["libraries"][name][member], value) << name << " " << member;
    }
    EXPECT_EQ(support::names_in(folder_), (std::vector<std::string>{"page.html", "results.jsonl"}));
}

TEST_F(ReportPage, DescribesProblemsAndRepeatsWhatRowsLeaveOut) {
    ASSERT_EQ(report(path("results.jsonl")).status, 0);
    const json rows = data_of(page())["rows"];
    EXPECT_EQ(rows[0]["kind"], "dft, 1-D");
    EXPECT_EQ(rows[0]["type"], "float64");
    EXPECT_EQ(rows[0]["bytes"], 2 * 64 * 16);
    EXPECT_EQ(rows[0]["line"], 2);
    EXPECT_EQ(rows[1]["kind"], "dft, 2-D, batch");
    EXPECT_EQ(rows[1]["n"], 128);
    EXPECT_EQ(rows[1]["type"], "float32");
    EXPECT_EQ(rows[3]["kind"], "gemm, square");
    EXPECT_NEAR(rows[3]["n"].get<double>(), 40, 1e-9);
    EXPECT_EQ(rows[2]["libraries"]["fftw"]["made_by"], "fftw-3.3, <img src=x>");
    EXPECT_EQ(rows[2]["absent"]["mkl"], "no such");
    EXPECT_FALSE(rows[0]["absent"].contains("mkl"));
}

TEST_F(ReportPage, PairsProblemsWithEarlierResults) {
    write("before.jsonl", results({2, 2, 2, 0.5}));
    write("other.jsonl", std::string(run_line) + R"({"problem":"dft 65","flops":1,"libraries":{}})" + "\n");
    auto outcome = report(path("results.jsonl") + " --compare " + path("before.jsonl"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("4 of them compared"), std::string::npos) << outcome.output;
    const json data = data_of(page());
    for (const json& row : data["rows"]) {
        if (data["runs"][row["run"].get<std::size_t>()]["is_before"]) continue;
        EXPECT_EQ(data["rows"][row["before"].get<std::size_t>()]["problem"], row["problem"]);
    }
    outcome = report(path("results.jsonl") + " --compare " + path("other.jsonl"));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("other.jsonl: none of its problems"), std::string::npos) << outcome.errors;
}

TEST_F(ReportPage, NamesFileAndLineOfWhatItCannotRead) {
    const std::string all = results();
    for (const auto& [text, words] : std::initializer_list<std::pair<std::string, const char*>>{
             {"", "is empty; use files that"},
             {all.substr(0, all.size() - 30), "wrong.jsonl, line 5: the file ends inside an object"},
             {run_line + std::string("dft 64 1e-7\n"), "wrong.jsonl, line 2: no JSON; use files that"},
             {"n,seconds\n64,1e-7\n", "wrong.jsonl, line 1: no JSON"},
             {"\x89PNG\r\n\x1a\n\x01\x02", "wrong.jsonl, line 1: no JSON"},
             {"{\"a\":\n  1,\n}\n", "wrong.jsonl, line 3: no JSON"},
             {"{\"a\":\n  1\n", "the file ends inside an object"},
             {R"({"benchmarks":[]})", "neither a run nor a problem with its times; use files that"},
             {run_line, "has a run, but no problem"},
             {all.substr(all.find('\n') + 1), "wrong.jsonl, line 1: times before the line of a run"},
             {run_line + std::string(R"({"problem":"fht 64","flops":1,"libraries":{}})"),
              "line 2: 'fht 64': cannot read the problem: expected a transform"},
             {run_line + std::string(R"({"problem":"wht 65","flops":1,"libraries":{}})"), "power of two"},
             {run_line + std::string(R"({"problem":"dft 64","flops":1,"libraries":{"fftw":{"median":0}}})"),
              "line 2: the median of library 'fftw' is 0; it is a time in seconds"},
             {run_line + std::string(R"({"problem":"dft 64","flops":"many","libraries":{}})"),
              "line 2: type must be number"},
             {R"({"results":[{"n":64,"steps":[{"name":1}]}]})", "wrong.jsonl: key"},
         })
        EXPECT_NE(complaint_about(text).find(words), std::string::npos) << complaint_about(text) << words;
    auto outcome = report(path("nothing.jsonl"));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("nothing.jsonl cannot be read: No such file"), std::string::npos)
        << outcome.errors;
    outcome = report(folder_.path().string());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("is a folder; use files that"), std::string::npos) << outcome.errors;
    outcome = run_swirl("report " + path("results.jsonl") + " -o /nowhere/page.html");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("/nowhere/page.html"), std::string::npos) << outcome.errors;
    EXPECT_EQ(run_swirl("report").status, 2);
}

TEST_F(ReportPage, ReadsWhatBenchAndLaddersPrint) {
    const std::string plot = " --plot " + support::quoted(path("plot.html"));
    const auto bench =
        run_swirl("bench dft n --sizes 8..16*2 --peers none --seconds 0.02 --accuracy --json" + plot);
    ASSERT_EQ(bench.status, 0) << bench.errors;
    write("bench.json", bench.output);
    const auto product = run_swirl("bench gemm 8x8x8 --peers none --seconds 0.02 --json");
    ASSERT_EQ(product.status, 0) << product.errors;
    write("product.json", product.output);
    const auto dft =
        run_swirl("ladder dft 16 --seconds 0.01 --json --plot " + support::quoted(path("ladder.html")));
    ASSERT_EQ(dft.status, 0) << dft.errors;
    write("dft.json", dft.output);
    const auto gemm = run_swirl("ladder gemm 8 --seconds 0.01 --threads 1 --step naive --step packed --json");
    ASSERT_EQ(gemm.status, 0) << gemm.errors;
    write("gemm.json", gemm.output);
    const auto outcome = report(path("bench.json") + " " + path("product.json") + " " + path("dft.json") +
                                " " + path("gemm.json"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("3 problems, 2 sizes of ladders"), std::string::npos) << outcome.output;
    const json data = data_of(page()), given = json::parse(bench.output);
    EXPECT_EQ(data["rows"][1]["problem"], "dft 16");
    EXPECT_EQ(data["rows"][1]["libraries"]["swirl"]["median"],
              given["results"][1]["entries"][0]["median_seconds"]);
    EXPECT_EQ(data["rows"][1]["libraries"]["swirl"]["distance"],
              given["results"][1]["entries"][0]["error"]["relative_l2"]);
    EXPECT_EQ(data["rows"][1]["libraries"]["swirl"]["made_by"], given["results"][1]["schedule"]);
    EXPECT_EQ(data["rows"][1]["flops"], 5 * 16 * 4);
    EXPECT_GT(data["rows"][1]["floors"]["traffic"], 0);
    const std::string command = data["runs"][0]["command"];
    EXPECT_TRUE(command.starts_with("swirl bench dft n --sizes '8..16*2' --peers none")) << command;
    EXPECT_GT(data["runs"][0]["machine"]["flops_float64"], 0);
    EXPECT_NEAR(data["rows"][2]["flops"].get<double>(), 1024, 1e-6);
    ASSERT_EQ(data["ladders"].size(), 2U);
    EXPECT_EQ(data["ladders"][0]["problem"], "dft 16");
    EXPECT_EQ(data["ladders"][1]["steps"].size(), 2U);
    EXPECT_EQ(data_of(support::content_of(path("plot.html")))["rows"].size(), 2U);
    EXPECT_EQ(data_of(support::content_of(path("ladder.html")))["ladders"].size(), 1U);
}

TEST_F(ReportPage, ReadsWhatBenchPrintsOfGpus) {
    write(
        "transforms.json",
        R"({"device":"H100","copy_bytes_per_second":3e12,"results":[{"problem":"dft 64 float32 batch=1000","schedule":"sm_90: 0 x","median_seconds":1e-5,"minimum_seconds":9e-6,"of_copy":0.03,"pseudo_gflops":192}]})");
    write(
        "product.json",
        R"({"problem":"gemm 64x64x64 float32","device":"H100","schedule":"sm_90: simt","median_seconds":2e-6,"gflops":262.144})");
    const auto outcome = report(path("transforms.json") + " " + path("product.json"));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json data = data_of(page());
    EXPECT_EQ(data["runs"][0]["machine"], R"({"gpu":"H100","copy_bytes_per_second":3e12})"_json);
    EXPECT_NEAR(data["rows"][0]["flops"].get<double>(), 1.92e6, 1);
    EXPECT_NEAR(data["rows"][0]["floors"]["traffic"].get<double>(), 3e-7, 1e-12);
    EXPECT_EQ(data["rows"][0]["libraries"]["swirl"]["made_by"], "sm_90: 0 x");
    EXPECT_EQ(data["rows"][1]["libraries"]["swirl"]["median"], 2e-6);
    EXPECT_NEAR(data["rows"][1]["flops"].get<double>(), 2 * 64 * 64 * 64, 1e-3);
}

TEST_F(ReportPage, PlotsOfProductsHaveFloors) {
    const auto bench =
        run_swirl("bench gemm 8x8x8 --peers none --seconds 0.02 --plot " + support::quoted(path("p.html")));
    ASSERT_EQ(bench.status, 0) << bench.errors;
    EXPECT_NE(bench.output.find("Gflop/s"), std::string::npos) << "the table is printed, too";
    EXPECT_GT(data_of(support::content_of(path("p.html")))["rows"][0]["floors"]["arithmetic"], 0);
    for (const auto& [plot, words] :
         {std::pair("speed.svg", "ends in .html"), std::pair("/nowhere/x.html", "no folder /nowhere")}) {
        const auto outcome = run_swirl("bench dft 8 --peers none --plot " + std::string(plot));
        EXPECT_EQ(outcome.status, 2) << plot;
        EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
    }
}

/// Results that are kept in the repository.
TEST_F(ReportPage, ReadsThePublishedResults) {
    std::string files;
    for (const auto& entry : std::filesystem::directory_iterator(SWIRL_SOURCE_DIR "/docs/results"))
        if (entry.path().extension() == ".jsonl") files += " " + support::quoted(entry.path().string());
    const auto outcome = report(files);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

/// Clicks, keys and filters in headless Chromium; figures as scripts/report prints them.
TEST_F(ReportPage, WorksInABrowser) {
    write("before.jsonl", results({2, 2, 2, 0.5}));
    const auto made = report(path("results.jsonl") + " --compare " + path("before.jsonl"));
    ASSERT_EQ(made.status, 0) << made.errors;
    if (made.output.find("without Chart.js") != std::string::npos) GTEST_SKIP() << made.output;
    const auto expected =
        support::run_command("python3 " SWIRL_SOURCE_DIR "/scripts/report " + path("results.jsonl"));
    ASSERT_EQ(expected.status, 0) << expected.errors;
    write("expected.md", expected.output);
    const auto outcome = support::run_command("PYTHONDONTWRITEBYTECODE=1 python3 " SWIRL_SOURCE_DIR
                                              "/tests/cli/report_page/check_page.py " +
                                              path("page.html") + " " + path("expected.md"));
    if (outcome.status == 77) GTEST_SKIP() << outcome.output;
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
}

} // namespace report_test
} // namespace swirl
