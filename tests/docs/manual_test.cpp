// Under -fsanitize=address g++ 12 takes a moved-from std::function inside std::regex for uninitialized (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <swirl/swirl.hpp>

#include "docs/document.hpp"
#include "support/run_program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

/// The manual's snippets are sections that these tests write: a file, a part of one, what a program prints, how long two
/// programs are. So each snippet is compiled, and run by a test.
namespace swirl::docs {
namespace manual_test {

constexpr const char* manual_folders[] = {"tutorial", "how-to",      "coming-from",
                                          "gallery",  "explanation", "reference"};

std::vector<std::filesystem::path> pages() {
    std::vector<std::filesystem::path> files;
    for (const char* folder : manual_folders)
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(source_folder / "docs" / folder))
            if (entry.path().extension() == ".md") files.push_back(entry.path());
    for (const char* page : {"index.md", "glossary.md", "troubleshooting.md"})
        files.push_back(source_folder / "docs" / page);
    std::sort(files.begin(), files.end());
    return files;
}

/// These and the other documents in docs/, but the one with a test of its own (architecture_test.cpp).
std::vector<std::filesystem::path> all_pages() {
    std::vector<std::filesystem::path> files = pages();
    for (const auto& entry : std::filesystem::directory_iterator(source_folder / "docs"))
        if (entry.path().extension() == ".md" && entry.path().filename() != "architecture.md")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// "examples/gallery/mri.cpp" as "example_mri_cpp".
std::string program_of(const std::filesystem::path& example) {
    return fmt::format("example_{}_{}", example.stem().string(), example.extension().string().substr(1));
}

bool is_built(const std::filesystem::path& example) {
    return std::filesystem::exists(std::filesystem::path(SWIRL_BINARY_DIR "/bin") / program_of(example));
}

/// Runs an example as a user without wisdom would.
support::Outcome run_example(const std::filesystem::path& example, const std::string& arguments = "") {
    return support::run_command("SWIRL_WISDOM=:memory: SWIRL_KERNEL_CACHE=off " SWIRL_BINARY_DIR "/bin/" +
                                program_of(example) + " " + arguments);
}

/// The lines between "// [name]" and "// [end]", without their common indentation.
std::string part_of(const std::string& text, const std::string& name) {
    std::string part;
    std::size_t indentation = 0;
    bool is_inside = false;
    for (const std::string& line : lines_of(text)) {
        const std::size_t at = line.find("// [");
        if (is_inside && at != std::string::npos) return part;
        if (is_inside) part += (line.size() > indentation ? line.substr(indentation) : "") + "\n";
        if (at != std::string::npos && line.substr(at) == "// [" + name + "]") {
            is_inside = true;
            indentation = at;
        }
    }
    throw std::runtime_error("no part '" + name + "' that ends");
}

/// Lines that are neither empty nor comments alone.
int lines_of_code(const std::string& file) {
    int count = 0;
    for (const std::string& line : lines_of(content_of(source_folder / file))) {
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos && line.compare(first, 2, "//") != 0) ++count;
    }
    return count;
}

std::string fenced(const std::string& language, const std::string& text) {
    return "```" + language + "\n" + text + "```\n";
}

/// The text of a section with this name; none if what it needs was not built.
std::optional<std::string> section_text(const std::string& name) {
    std::istringstream words(name);
    std::string first, second;
    words >> first >> second;
    if (first == "output" || first == "help") {
        std::string rest = second;
        if (first == "output" && !is_built(rest)) return std::nullopt;
        const auto outcome = first == "output"
                                 ? run_example(rest)
                                 : support::run_command(SWIRL_BINARY_DIR "/bin/swirl help " + rest);
        EXPECT_EQ(outcome.status, 0) << name << "\n" << outcome.errors;
        return fenced("text", outcome.output);
    }
    if (first == "lines") {
        std::string table = "| | lines of code |\n|---|---:|\n";
        for (std::string file = second; !file.empty(); file.clear(), words >> file)
            table += fmt::format("| [`{0}`](../../{0}) | {1} |\n", file, lines_of_code(file));
        return table;
    }
    const std::size_t mark = first.find('#');
    const std::string file = first.substr(0, mark), text = content_of(source_folder / file);
    const std::string language = file.substr(file.rfind('.') + 1);
    return fenced(language == "py"                   ? "python"
                  : file.ends_with("CMakeLists.txt") ? "cmake"
                                                     : language,
                  mark == std::string::npos ? text : part_of(text, first.substr(mark + 1)));
}

TEST(Manual, ShowsFilesAndOutputsAsTheyAre) {
    int sections = 0;
    for (const auto& page : all_pages()) {
        const std::string document = content_of(page);
        std::string updated = document;
        for (const std::string& name : section_names(document)) {
            ASSERT_TRUE(section_of(document, name)) << page << ": " << name << " does not end";
            const auto text = section_text(name);
            if (!text) continue;
            ++sections;
            if (updates_documents())
                updated = with_section(updated, {name, *text});
            else
                EXPECT_EQ(*section_of(document, name), *text)
                    << page << ": 'make docs' writes the section '" << name << "' anew";
        }
        if (updated != document) write(page, updated);
    }
    EXPECT_GT(sections, 30);
}

/// Code in C or C++ outside of such a section would be compiled by nobody. Python is run by python/tests/test_documents.py.
TEST(Manual, HasNoCodeThatIsNotCompiled) {
    for (const auto& page : all_pages()) {
        bool is_in_section = false;
        for (const std::string& line : lines_of(content_of(page))) {
            if (line.rfind(section_start, 0) == 0) is_in_section = true;
            if (line + "\n" == section_end) is_in_section = false;
            for (const char* fence : {"```cpp", "```c", "```c++", "```cuda", "```fortran"})
                EXPECT_FALSE(line == fence && !is_in_section) << page;
        }
    }
}

/// Problems within sentences and tables, such as `dft 1000`; those with … stand for many.
TEST(Manual, StatesProblemsThatCanBeComputed) {
    const std::regex pattern("`((?:dft|rdft|gemm|convolution|formula|dct[1-4]|dst[1-4]|ifft) [^`\n]*)`");
    int problems = 0;
    for (const auto& page : pages()) {
        const std::string document = content_of(page);
        for (auto it = std::sregex_iterator(document.begin(), document.end(), pattern);
             it != std::sregex_iterator(); ++it) {
            const std::string text = (*it)[1];
            if (text.find("…") != std::string::npos) continue;
            ++problems;
            EXPECT_NO_THROW(validate(parse_problem(text))) << page << ": " << text;
        }
    }
    EXPECT_GE(problems, 8);
}

/// `swirl …` lines of the manual.
TEST(Manual, ShowsCommandsThatWork) {
    const TemporaryFolder folder;
    int commands = 0;
    for (const auto& page : pages())
        for (const std::string& line : lines_of(content_of(page))) {
            if (line.rfind("$ swirl ", 0) != 0) continue;
            ++commands;
            const auto outcome = docs::run_console_line(folder, line);
            EXPECT_EQ(outcome.status, 0) << page << ": " << line << "\n" << outcome.errors;
        }
    EXPECT_GE(commands, 5);
}

/// Every program of the gallery checks its own figures and says by its status whether they are right. The page shows what
/// each prints, so ShowsFilesAndOutputsAsTheyAre runs it.
TEST(Gallery, IsRunByItsPage) {
    const std::string page = content_of(source_folder / "docs" / "gallery" / "README.md");
    const std::vector<std::string> sections = section_names(page);
    int programs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_folder / "examples" / "gallery")) {
        if (entry.path().extension() != ".cpp") continue;
        ++programs;
        EXPECT_TRUE(is_built(entry.path())) << entry.path();
        const std::string name = entry.path().stem().string();
        const std::string section = "output examples/gallery/" + name + ".cpp";
        EXPECT_EQ(std::count(sections.begin(), sections.end(), section), 1) << "the page lacks " << section;
        EXPECT_TRUE(std::filesystem::exists(source_folder / "docs" / "gallery" / (name + ".png")))
            << name << " has no picture";
    }
    EXPECT_EQ(programs, 9);
}

/// A picture of the manual is light.
TEST(Gallery, PicturesAreLessThanFiftyKilobytes) {
    for (const char* folder : {"gallery", "explanation"})
        for (const auto& entry : std::filesystem::directory_iterator(source_folder / "docs" / folder))
            EXPECT_LT(std::filesystem::file_size(entry.path()), 50'000u) << entry.path();
}

/// What another library's program prints, swirl's prints, too. Those whose library is not there are not built.
TEST(ComingFrom, ProgramsPrintTheSame) {
    int pairs = 0;
    for (const char* library : {"fftw", "pocketfft", "mkl"}) {
        const auto folder = source_folder / "examples" / "coming_from";
        const auto theirs = folder / (std::string(library) + ".cpp"),
                   ours = folder / (std::string(library) + "_swirl.cpp");
        const auto outcome = run_example(ours);
        EXPECT_EQ(outcome.status, 0) << ours << outcome.errors;
        if (!is_built(theirs)) continue;
        ++pairs;
        EXPECT_EQ(outcome.output, run_example(theirs).output) << library;
    }
#if SWIRL_HAVE_FFTW
    EXPECT_GE(pairs, 1);
#endif
}

TEST(Snippets, RunInTheirPrograms) {
    for (const char* name :
         {"planning.cpp", "running.cpp", "plans.cpp", "products.cpp", "gpu_products.cpp", "options.c"}) {
        const auto outcome = run_example(name);
        EXPECT_EQ(outcome.status, 0) << name << outcome.errors;
    }
    const auto bits = run_example("running.cpp");
    EXPECT_NE(bits.output.find("the bits are the same"), std::string::npos) << bits.output;
}

} // namespace manual_test
} // namespace swirl::docs
