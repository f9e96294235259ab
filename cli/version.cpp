#include <swirl/version.hpp>

#include "cli/command.hpp"

#include <fmt/format.h>

#include <iostream>

namespace swirl::cli {

void add_version(CLI::App& program) {
    CLI::App& command = *program.add_subcommand("version", "Print the version");
    command.footer("For example:\n  swirl version");
    command.callback([] { std::cout << fmt::format("swirl {}\n", version()) << std::flush; });
}

} // namespace swirl::cli
