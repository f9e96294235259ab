#include "bench/support/setting.hpp"

#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

namespace swirl::bench {

std::string driver_text(const runtime::CudaDriver& driver) {
    std::string cuda = "CUDA " + runtime::cuda_version_text(driver.version());
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    std::smatch found;
    if (std::regex_search(line, found, std::regex(R"((\d+\.\d+(\.\d+)?))"))) return found.str() + ", " + cuda;
    return cuda;
}

std::string command_of(int count, char** values) {
    std::vector<std::string> words{std::filesystem::path(values[0]).filename()};
    for (int k = 1; k < count; ++k) {
        const std::string word = values[k];
        words.push_back(word.find_first_of(" ;()|*$") == std::string::npos ? word : "'" + word + "'");
    }
    return fmt::format("{}", fmt::join(words, " "));
}

std::string date_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

} // namespace swirl::bench
