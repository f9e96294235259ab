#include "cli/run_record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace swirl::cli {

Json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    return std::stod(fmt::format("{:.5g}", value));
}

std::string date_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

std::string shell_word(const std::string& word) {
    return word.find_first_of(" ;()|*$'\"<>&") == std::string::npos ? word : "'" + word + "'";
}

std::string command_line_of(const CLI::App& command) {
    const CLI::App* const parent = command.get_parent();
    std::string line = parent == nullptr ? "" : command_line_of(*parent) + " ";
    line += command.get_name();
    std::string options;
    for (const CLI::Option* option : command.get_options()) {
        if (option->count() == 0) continue;
        const bool is_flag = option->get_expected_max() == 0;
        std::string& text = option->get_positional() ? line : options;
        if (!option->get_positional()) text += " " + option->get_name();
        if (!is_flag)
            for (const std::string& word : option->results()) text += " " + shell_word(word);
    }
    return line + options;
}

Json machine_record(const search::HostProbe& probe) {
    Json copies = Json::object();
    for (const search::Bandwidth& level : probe.bandwidth) copies[level.level] = rounded(level.copy);
    return {{"cpu", probe.host.model},
            {"generation", probe.host.generation},
            {"instruction_set", probe.host.instruction_set},
            {"flops_float64", rounded(probe.flops_float64)},
            {"flops_float32", rounded(probe.flops_float32)},
            {"copy_bytes_per_second", std::move(copies)}};
}

} // namespace swirl::cli
