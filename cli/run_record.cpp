#include "cli/run_record.hpp"

#include <swirl/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cmath>
#include <string>

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

Json machine_record(const search::Host& host) {
    return {{"cpu", host.model}, {"generation", host.generation}, {"instruction_set", host.instruction_set}};
}

Json machine_record(const search::HostProbe& probe) {
    Json machine = machine_record(probe.host);
    machine["flops_float64"] = rounded(probe.flops_float64);
    machine["flops_float32"] = rounded(probe.flops_float32);
    Json& copies = machine["copy_bytes_per_second"] = Json::object();
    for (const search::Bandwidth& level : probe.bandwidth) copies[level.level] = rounded(level.copy);
    return machine;
}

Json run_record(const CLI::App& command) {
    return {{"command", command_line_of(command)}, {"date", date_now()}, {"swirl", std::string(version())}};
}

} // namespace swirl::cli
