#pragma once

#include "runtime/cuda/driver.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <regex>
#include <string>

/// How GPU benchmarks describe their setting, and parse what to run.
namespace swirl::bench {

/// Setting of a run.
struct GpuSetting {
    std::string command;
    std::string date; ///< UTC, ISO 8601
    std::string gpu;
    std::string driver; ///< "580.95, CUDA 13.0"
};
/// The setting of a run that begins now.
GpuSetting setting_now(std::string command, const std::string& gpu, const runtime::CudaDriver& driver);

/// The program's name and its arguments, quoted for a shell.
std::string command_of(int count, char** values);

/// Throws UserError naming --only and its value, unless it is a regular expression.
std::regex parse_only(const std::string& text);

void print_now(const std::string& text);

/// The main program of a benchmark: parses its options, prints errors under its name.
int run_program(int count, char** values, const char* name, CLI::App& app,
                const std::function<int(std::string command)>& run);

} // namespace swirl::bench
