#pragma once

#include <CLI/CLI.hpp>

#include <span>

namespace swirl::cli {

/// Thrown by a command that has reported its failure: the program exits with this status.
struct ExitStatus {
    int status;
};
constexpr int exit_failure = 1; ///< a wrong transform, a file that cannot be written
constexpr int exit_usage = 2;   ///< an invalid command line
constexpr int exit_interrupted =
    130; ///< Ctrl-C ended the work early; shells say the same of programs that it kills

/// A subcommand adds itself, its options and its callback to the program.
using AddCommand = void (*)(CLI::App& program);

void add_probe(CLI::App& program);
void add_plan(CLI::App& program);
void add_show(CLI::App& program);
void add_explain(CLI::App& program);
void add_verify(CLI::App& program);
void add_bench(CLI::App& program);
void add_ladder(CLI::App& program);
void add_report(CLI::App& program);
void add_emit(CLI::App& program);
void add_tune(CLI::App& program);
void add_record(CLI::App& program);
void add_wisdom(CLI::App& program);
void add_cache(CLI::App& program);
void add_doctor(CLI::App& program);
void add_completion(CLI::App& program);
void add_help(CLI::App& program);
void add_version(CLI::App& program);

/// In the order of the help text.
std::span<const AddCommand> commands();

} // namespace swirl::cli
