#pragma once

#include <swirl/problem.hpp>

#include "cli/output.hpp"
#include "cli/problem_list.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

/// The driver of all benchmark programs: command line, errors, problems, results as JSON lines.
namespace swirl::bench {

using cli::ProblemOptions;
using cli::words_of;

/// A benchmark program.
struct Program {
    std::string description;
    std::function<void(CLI::App& program)> add_options;
    /// Returns the exit status. `command`: the program's name and arguments.
    std::function<int(const std::string& command)> run;
};
/// Parses the options and runs. An error is printed behind the program's name, and ends it with status 1.
int main_of(const Program& program, int count, char** values);

/// Rows of results, one JSON object a line, in the file of the option --json; nowhere without it.
class JsonLines {
public:
    void add_to(CLI::App& program);
    void write(const cli::Json& line);

private:
    std::string path_;
    std::ofstream file_;
};
/// The objects of a file that JsonLines wrote.
std::vector<cli::Json> read_json_lines(const std::string& path);

double median_of(std::vector<double> values);
/// The median of some runs, in milliseconds.
double milliseconds_of(const std::function<void()>& action, int runs = 1);

} // namespace swirl::bench
