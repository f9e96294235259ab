#include "peers/cuda_library_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace swirl::peers {
namespace {

namespace files = std::filesystem;

/// Where Python's installations have their packages: beside each python3 in PATH, as it is named and as it is linked to.
std::vector<files::path> python_prefixes() {
    std::vector<files::path> found{"/usr", "/usr/local",
                                   files::path(environment_variable("HOME")) / ".local"};
    std::istringstream folders(environment_variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code ignored;
        const files::path python = files::path(folder) / "python3";
        if (!files::exists(python, ignored)) continue;
        found.push_back(python.parent_path().parent_path());
        found.push_back(files::weakly_canonical(python, ignored).parent_path().parent_path());
    }
    return found;
}

} // namespace

std::string environment_variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::vector<files::path> entries_of(const files::path& folder, const std::string& beginning) {
    std::vector<files::path> found;
    std::error_code ignored;
    for (const auto& each : files::directory_iterator(folder, ignored))
        if (each.path().filename().string().starts_with(beginning)) found.push_back(each.path());
    std::sort(found.rbegin(), found.rend());
    return found;
}

std::vector<files::path> cuda_library_folders() {
    std::vector<files::path> toolkits = entries_of("/usr/local", "cuda");
    if (const std::string own = environment_variable("CUDA_HOME"); !own.empty())
        toolkits.insert(toolkits.begin(), own);
    std::vector<files::path> found;
    for (const files::path& toolkit : toolkits)
        for (const char* inside : {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib"})
            found.push_back(toolkit / inside);
    for (const files::path& prefix : python_prefixes())
        for (const files::path& python : entries_of(prefix / "lib", "python3"))
            for (const char* packages : {"site-packages", "dist-packages"}) {
                for (const files::path& own : entries_of(python / packages / "nvidia", "cu"))
                    found.push_back(own / "lib"); // nvidia/cufft, and nvidia/cu13 of later packages
            }
    return found;
}

std::vector<std::string> cuda_library_files(const char* variable, const std::string& library,
                                            std::span<const int> versions) {
    if (const std::string named = environment_variable(variable); !named.empty()) return {named};
    std::vector<std::string> result;
    for (const files::path& folder : cuda_library_folders())
        for (const files::path& file : entries_of(folder, library)) result.push_back(file.string());
    for (const int version : versions) result.push_back(library + "." + std::to_string(version));
    result.push_back(library);
    return result;
}

} // namespace swirl::peers
