#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace swirl {
namespace files_test {

using support::content_of;
using support::names_in;
using support::quoted;

/// A function that transforms an impulse in point 1 of each batch, compares with ω^k, k along the last dimension, and returns 0 if
/// they are equal.
std::string impulse_test(const std::string& problem, const std::string& name) {
    const auto has = [&](const char* word) { return problem.find(word) != std::string::npos; };
    const std::string arguments = has("inplace") ? "x_pointer" : "x_pointer, y_pointer";
    const int last = has("4x6") ? 6 : std::atoi(problem.c_str() + 4);
    std::ostringstream text;
    text << "int test_" << name << "() {\n  using T = " << (has("float32") ? "float" : "double")
         << ";\n  const int last = " << last << ", n = " << (has("4x6") ? 24 : last)
         << ", batches = " << (has("batch=3") ? 3 : 1) << ";\n"
         << "  const double turn = " << (has("backward") ? "" : "-")
         << "2 * M_PI / last, scale = " << (has("scale=0.5") ? 0.5 : 1.0) << ";\n"
         << R"(  std::vector<std::complex<T>> x(n * batches), y(n * batches);
  for (int b = 0; b < batches; ++b) x[b * n + 1] = 1;
  T* const x_pointer = reinterpret_cast<T*>(x.data());
  [[maybe_unused]] T* const y_pointer = reinterpret_cast<T*>(y.data());
#ifdef )" << name
         << "_workspace_bytes\n  std::vector<char> workspace(" << name << "_workspace_bytes);\n  " << name
         << "(" << arguments << R"(, workspace.data());
#else
  )" << name
         << "(" << arguments << R"();
#endif
  double worst = 0;
  for (int i = 0; i < n * batches; ++i)
    worst = std::fmax(worst, std::abs(std::complex<double>()"
         << (has("inplace") ? "x" : "y") << R"([i]) - scale * std::polar(1.0, turn * (i % last))));
  std::printf(")"
         << name << R"(: %g\n", worst);
  return worst < (sizeof(T) == 4 ? 1e-6 : 1e-14) ? 0 : 1;
}
)";
    return text.str();
}

TEST(Emit, WritesCppThatComputesTheTransform) {
    const std::vector<std::string> problems = {"dft 64",  "dft 15 float32 backward",  "dft 4x6 inplace",
                                               "dft 4x6", "dft 12 batch=3 scale=0.5", "dft 1000",
                                               "dft 97"};
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return quoted((folder.path() / name).string()); };
    std::string files, headers, tests, calls;
    for (const std::string& problem : problems) {
        SCOPED_TRACE(problem);
        const std::string name = "transform_" + std::to_string(&problem - problems.data());
        const auto emitted = run_swirl("emit " + problem + " --function " + name + " -o " +
                                       path(name + ".cpp") + " --header " + path(name + ".hpp"));
        ASSERT_EQ(emitted.status, 0) << emitted.errors;
        EXPECT_EQ(emitted.output, "");
        files += path(name + ".cpp") + " ";
        headers += "#include \"" + name + ".hpp\"\n";
        tests += impulse_test(problem, name);
        calls += " + test_" + name + "()";
    }
    std::ofstream(folder.path() / "main.cpp")
        << headers << "#include <cmath>\n#include <complex>\n#include <cstdio>\n#include <vector>\n"
        << tests << "int main() { return 0" << calls << "; }\n";
    const auto compiled =
        support::run_command(std::string(SWIRL_CXX_COMPILER) + " -std=c++17 -O1 -Wall -Wextra " + files +
                             path("main.cpp") + " -o " + path("main"));
    ASSERT_EQ(compiled.status, 0) << compiled.errors;
    EXPECT_EQ(compiled.errors, "");
    const auto ran = support::run_command(path("main"));
    EXPECT_EQ(ran.status, 0) << "worst errors\n" << ran.output;
}

TEST(Emit, NamesTheFunctionAfterTheProblem) {
    const auto outcome = run_swirl("emit 'dft 4x2 backward in=(-1,4)'");
    EXPECT_NE(outcome.output.find("void swirl_dft_4x2_backward_in_m1_4("), std::string::npos)
        << outcome.output;
}

TEST(Emit, LeavesNoFileWhenItFails) {
    const TemporaryFolder folder;
    EXPECT_EQ(run_swirl("emit dft 0 -o " + quoted((folder.path() / "kernel.cpp").string())).status, 2);
    EXPECT_TRUE(names_in(folder).empty());

    const auto outcome =
        run_swirl("emit dft 8 -o " + quoted((folder.path() / "missing" / "kernel.cpp").string()));
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.errors.find("kernel.cpp"), std::string::npos) << outcome.errors;
    EXPECT_TRUE(names_in(folder).empty());
}

TEST(Emit, ReplacesAFileOnlyByAWholeOne) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "kernel.cpp";
    std::ofstream(file) << "precious";
    EXPECT_EQ(run_swirl("emit dft 8 --cpu abacus -o " + quoted(file.string())).status, 2);
    EXPECT_EQ(content_of(file), "precious");
    EXPECT_EQ(run_swirl("emit dft 8 -o " + quoted(file.string())).status, 0);
    EXPECT_EQ(content_of(file), run_swirl("emit dft 8").output);
    EXPECT_EQ(names_in(folder), std::vector<std::string>{"kernel.cpp"}) << "nothing is left beside it";
}

TEST(Emit, WritesToDevicesWithoutReplacingThem) {
    const auto outcome = run_swirl("emit dft 4 -o /dev/stdout");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("swirl_dft_4"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    EXPECT_EQ(run_swirl("emit dft 4 -o /dev/null").status, 0);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Wisdom, IsFoundByMeasuringExportedImportedAndForgotten) {
    const TemporaryFolder folder;
    const std::string file = quoted((folder.path() / "wisdom.sqlite").string()),
                      lines = quoted((folder.path() / "lines").string());
    const auto with = [&](const std::string& arguments) {
        return support::run_command("SWIRL_WISDOM=" + file + " " + quoted(SWIRL_BINARY_DIR "/bin/swirl") +
                                    " " + arguments);
    };
    const auto entries = [&] { return nlohmann::json::parse(with("wisdom list --json").output)["entries"]; };

    const auto measured = with("show dft 48 --measure --budget 0.2");
    EXPECT_EQ(measured.status, 0) << measured.errors;
    ASSERT_EQ(entries().size(), 1U);
    EXPECT_EQ(entries()[0]["problem"], "dft 48");
    EXPECT_EQ(entries()[0]["found_by"], "measure");
    const std::string found = entries()[0]["schedule"];
    EXPECT_NE(with("plan dft 48").output.find(found), std::string::npos) << "used from then on";

    EXPECT_EQ(with("wisdom export " + lines).status, 0);
    EXPECT_EQ(with("wisdom forget dft 48").output, "1 entries forgotten\n");
    EXPECT_EQ(entries().size(), 0U);
    EXPECT_EQ(with("wisdom import " + lines).status, 0);
    EXPECT_EQ(entries()[0]["schedule"], found);
    EXPECT_EQ(with("wisdom forget --all").status, 0);
    EXPECT_EQ(entries().size(), 0U);

    EXPECT_EQ(with("wisdom import " + quoted((folder.path() / "nowhere").string())).status, 1);
    std::ofstream(folder.path() / "lines") << "nonsense\n";
    EXPECT_EQ(with("wisdom import " + lines).status, 1);
}

TEST(Wisdom, OfAnExhaustiveSearchSaysSo) {
    const TemporaryFolder folder;
    const std::string file = quoted((folder.path() / "wisdom.sqlite").string());
    const auto with = [&](const std::string& arguments) {
        return support::run_command("SWIRL_WISDOM=" + file + " " + quoted(SWIRL_BINARY_DIR "/bin/swirl") +
                                    " " + arguments);
    };
    const auto found = with("plan wht 8 --exhaustive");
    EXPECT_EQ(found.status, 0) << found.errors;
    EXPECT_EQ(found.errors, "");
    const auto entries = nlohmann::json::parse(with("wisdom list --json").output)["entries"];
    const auto is_whole = [](const auto& entry) { return entry["problem"] == "wht 8"; };
    const auto whole = std::find_if(entries.begin(), entries.end(), is_whole);
    ASSERT_NE(whole, entries.end());
    EXPECT_EQ((*whole)["found_by"], "exhaustive");
    EXPECT_NE(with("plan dft 8 --exhaustive --measure").status, 0) << "one or the other";
}

TEST(Wisdom, ThatNoLongerFitsIsReplaced) {
    const TemporaryFolder folder;
    const std::string file = quoted((folder.path() / "wisdom.sqlite").string());
    const auto with = [&](const std::string& arguments) {
        return support::run_command("SWIRL_WISDOM=" + file + " " + quoted(SWIRL_BINARY_DIR "/bin/swirl") +
                                    " " + arguments);
    };
    with("show dft 48 --measure --budget 0.1");
    const std::string good = with("wisdom export").output;
    const std::string schedule = nlohmann::json::parse(good)["schedule"];
    for (const char* tree : {"stockham(5,5)", "dct2-rdft[rdft-stockham(7,5)]"}) {
        std::string bad = good;
        bad.replace(bad.find(schedule), schedule.size(),
                    schedule.substr(0, schedule.find(':')) + ": 0 " + tree);
        std::ofstream(folder.path() / "bad") << bad;
        for (const char* command :
             {"verify dft 48", "plan dft 48 --threads 2", "explain dft 48 --threads 2"}) {
            with("wisdom forget --all");
            EXPECT_EQ(with("wisdom import " + quoted((folder.path() / "bad").string())).status, 0);
            const auto planned = with(command);
            EXPECT_EQ(planned.status, 0) << command << ", " << tree << "\n" << planned.errors;
            const auto entries = nlohmann::json::parse(with("wisdom list --json").output)["entries"];
            EXPECT_EQ(entries.size(), 0U) << command << ", " << tree;
        }
    }
}

} // namespace files_test
} // namespace swirl
