#pragma once

#include "support/run_program.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace swirl::emit {

/// A program of CUDA's toolkit, if it is here: by name, under $CUDA_HOME, or where the toolkit is usually installed.
inline std::optional<std::string> cuda_tool(const std::string& name) {
    if (support::run_command("command -v " + name).status == 0) return name;
    std::vector<std::filesystem::path> roots;
    if (const char* home = std::getenv("CUDA_HOME")) roots.emplace_back(home);
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/local", none))
        if (entry.path().filename().string().starts_with("cuda")) roots.push_back(entry.path());
    for (const std::filesystem::path& root : roots)
        if (const auto file = root / "bin" / name; std::filesystem::exists(file, none)) return file.string();
    return std::nullopt;
}

/// NVIDIA's assembler of PTX.
inline std::optional<std::string> ptx_compiler() { return cuda_tool("ptxas"); }

/// What the compiler says of a module: nothing where it accepts it without a warning.
inline std::string complaints(const std::string& compiler, std::string_view module, const std::string& target,
                              const std::string& options = "-O1") {
    const TemporaryFolder folder;
    const std::string source = (folder.path() / "kernel.ptx").string();
    std::ofstream(source) << module;
    const support::Outcome outcome =
        support::run_command(support::quoted(compiler) + " -arch=" + target + " --warning-as-error " +
                             options + " -o " + source + ".cubin " + source);
    const std::string words = outcome.output + outcome.errors;
    return outcome.status == 0 || !words.empty() ? words : "it failed without a word";
}

} // namespace swirl::emit
