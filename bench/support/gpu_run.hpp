#pragma once

#include "runtime/cuda_driver.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <regex>
#include <string>

/// What benchmarks on GPUs say about how they were run, and how they are told what to run.
namespace swirl::bench {

/// How a run was made.
struct GpuSetting {
    std::string command;
    std::string date; ///< UTC, ISO 8601
    std::string gpu;
    std::string driver; ///< "580.95, CUDA 13.0"
};
/// The setting of a run that begins now.
GpuSetting setting_now(std::string command, const std::string& gpu, const runtime::CudaDriver& driver);

/// The program's name and its arguments, as a shell would take them.
std::string command_of(int count, char** values);

/// UserError naming --only and its value, unless it is a regular expression.
std::regex parse_only(const std::string& text);

void print_now(const std::string& text);

/// The program of a benchmark: its options are read, errors are printed under its name.
int run_program(int count, char** values, const char* name, CLI::App& app,
                const std::function<int(std::string command)>& run);

} // namespace swirl::bench
