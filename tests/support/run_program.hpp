#pragma once

#include "support/temporary_folder.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Running programs in tests.
namespace swirl::support {

/// Names of a folder's entries, sorted.
inline std::vector<std::string> names_in(const TemporaryFolder& folder) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
}

inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

struct Outcome {
    int status = -1; ///< exit status; −1 if a signal ended it
    std::string output;
    std::string errors;
};

/// Runs a shell command.
inline Outcome run_command(const std::string& command) {
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
    const int status = std::system(("( " + command + " ) >" + out + " 2>" + err + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

/// Quotes a word for the shell.
inline std::string quoted(const std::string& word) {
    std::string result = "'";
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace swirl::support
