#pragma once

#include "cli/output.hpp"
#include "search/cost/probe/probe.hpp"

#include <string>

namespace CLI {
class App;
}

/// How and where results were measured: the object `run` of files of results.
namespace swirl::cli {

/// Five significant digits: measurements are not more accurate. NaN and infinities become null.
Json rounded(double value);

/// UTC, ISO 8601.
std::string date_now();

/// A word for a shell, quoted if it must be.
std::string shell_word(const std::string& word);

/// "swirl bench dft 64 --seconds 0.5": a command with the arguments that it was given.
std::string command_line_of(const CLI::App& command);

/// The CPU.
Json machine_record(const search::Host& host);
/// The CPU, and the rates of one core.
Json machine_record(const search::HostProbe& probe);

/// What a run begins with: the command, the date, and swirl's version.
Json run_record(const CLI::App& command);

} // namespace swirl::cli
