// Under -fsanitize=address g++ 12 takes a moved-from std::function inside std::regex for uninitialized (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "docs/document.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace swirl::docs {
namespace links_test {

std::vector<std::filesystem::path> documents() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_folder))
        if (entry.path().extension() == ".md") files.push_back(entry.path());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder / "docs"))
        if (entry.path().extension() == ".md") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// All first groups of the matches.
std::vector<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::vector<std::string> found;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it)
        found.push_back((*it)[1]);
    return found;
}

TEST(Documents, LinkOnlyToFilesThatExist) {
    for (const auto& file : documents())
        for (const std::string& target : matches(content_of(file), R"(\]\(([^)#:]+)[^)]*\))"))
            EXPECT_TRUE(std::filesystem::exists(file.parent_path() / target)) << file << ": " << target;
}

/// `src/rules/rule.hpp` and the like; names with <…>, *, … or { } stand for many.
TEST(Documents, NameOnlyFilesThatExist) {
    constexpr const char* path =
        "`((?:src|tests|cli|cmake|scripts|examples|bench|include|docs|tools)/[A-Za-z0-9_./-]*)`";
    int named = 0;
    for (const auto& file : documents())
        for (const std::string& name : matches(content_of(file), path)) {
            EXPECT_TRUE(std::filesystem::exists(source_folder / name)) << file << ": " << name;
            ++named;
        }
    EXPECT_GT(named, 20);
}

TEST(Decisions, AreNumberedAndHaveAllSections) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_folder / "docs" / "decisions"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    int number = 0;
    for (const auto& file : files) {
        const std::string prefix = fmt::format("{:03d}-", ++number);
        EXPECT_EQ(file.filename().string().rfind(prefix, 0), 0u) << file;
        const std::string text = content_of(file);
        for (const char* heading : {"\n## Context\n", "\n## Decision\n", "\n## Consequences\n"})
            EXPECT_NE(text.find(heading), std::string::npos) << file << heading;
    }
    EXPECT_GT(number, 0);
}

} // namespace links_test
} // namespace swirl::docs
