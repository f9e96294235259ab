#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace swirl::cli {

/// What is wrong with a command line that cannot be parsed, and what would work, in one line.
std::string text_of_mistake(const CLI::App& program, const CLI::ParseError& error, int count,
                            const char* const* arguments);

/// The lines of a message as one, without their indentation.
std::string on_one_line(const std::string& message);

} // namespace swirl::cli
