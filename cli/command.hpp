#pragma once

#include <CLI/CLI.hpp>

#include <span>

namespace swirl::cli {

/// Thrown by a command that has said its piece and did not succeed: the program exits with this status.
struct ExitStatus {
    int status;
};
constexpr int exit_failure = 1; ///< a transform is wrong, a file cannot be written
constexpr int exit_usage = 2;   ///< the command line is

/// A subcommand adds itself, its options and its callback to the program.
using AddCommand = void (*)(CLI::App& program);

void add_probe(CLI::App& program);
void add_plan(CLI::App& program);
void add_show(CLI::App& program);
void add_explain(CLI::App& program);
void add_verify(CLI::App& program);
void add_bench(CLI::App& program);
void add_ladder(CLI::App& program);
void add_emit(CLI::App& program);
void add_tune(CLI::App& program);
void add_wisdom(CLI::App& program);
void add_cache(CLI::App& program);

/// In the order of the help text.
std::span<const AddCommand> commands();

} // namespace swirl::cli
