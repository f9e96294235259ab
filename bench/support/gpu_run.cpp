#include "bench/support/gpu_run.hpp"

#include "base/error.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

namespace swirl::bench {
namespace {

/// The driver's version according to the system, and the CUDA version that it supports.
std::string driver_text(const runtime::CudaDriver& driver) {
    std::string cuda = "CUDA " + runtime::cuda_version_text(driver.version());
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    std::smatch found;
    if (std::regex_search(line, found, std::regex(R"((\d+\.\d+(\.\d+)?))"))) return found.str() + ", " + cuda;
    return cuda;
}

} // namespace

GpuSetting setting_now(std::string command, const std::string& gpu, const runtime::CudaDriver& driver) {
    return {std::move(command),
            fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())), gpu,
            driver_text(driver)};
}

std::string command_of(int count, char** values) {
    std::vector<std::string> words{std::filesystem::path(values[0]).filename()};
    for (int k = 1; k < count; ++k) {
        const std::string word = values[k];
        words.push_back(word.find_first_of(" ;()|*$") == std::string::npos ? word : "'" + word + "'");
    }
    return fmt::format("{}", fmt::join(words, " "));
}

std::regex parse_only(const std::string& text) {
    try {
        return std::regex(text);
    } catch (const std::regex_error& error) {
        throw UserError("--only '{}' is no regular expression: {}", text, error.what());
    }
}

void print_now(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

int run_program(int count, char** values, const char* name, CLI::App& app,
                const std::function<int(std::string command)>& run) {
    CLI11_PARSE(app, count, values);
    try {
        return run(command_of(count, values));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
}

} // namespace swirl::bench
