#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace swirl::peers {

/// The value of an environment variable; empty where it is not set.
std::string environment_variable(const char* name);

/// Folders that libraries of CUDA may be in: its toolkits (CUDA_HOME, /usr/local/cuda*), then Python's packages.
std::vector<std::filesystem::path> cuda_library_folders();

/// What is in a folder and has a name that begins so; none where it is not there. The latest version first.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              const std::string& beginning);

/// Where a library of CUDA may be, such as "libcufft.so": the file that the variable names, else those of these folders,
/// then the system's of these versions.
std::vector<std::string> cuda_library_files(const char* variable, const std::string& library,
                                            std::span<const int> versions);

} // namespace swirl::peers
