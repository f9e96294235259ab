#include "bench/support/setting.hpp"

#include "cli/run_record.hpp"

#include <fmt/ranges.h>

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
    for (int k = 1; k < count; ++k) words.push_back(cli::shell_word(values[k]));
    return fmt::format("{}", fmt::join(words, " "));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

} // namespace swirl::bench
