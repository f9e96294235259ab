#pragma once

#include "runtime/cuda/driver.hpp"

#include <string>

/// How benchmarks describe their setting.
namespace swirl::bench {

/// "580.95, CUDA 13.0": the driver's version according to the system, and the CUDA version that it supports.
std::string driver_text(const runtime::CudaDriver& driver);

/// The program's name and its arguments, quoted for a shell.
std::string command_of(int count, char** values);

/// The first line of an error: a reason in a row.
std::string first_line(const std::string& text);

} // namespace swirl::bench
