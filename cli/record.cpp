#include "base/error.hpp"
#include "cli/command.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace swirl::cli {
namespace {

struct RecordOptions {
    std::string output = "planned.txt";
    std::vector<std::string> program;
};

/// The program takes the place of this process, so that its exit status and its signals are its own.
[[noreturn]] void run(const RecordOptions& options) {
    if (options.program.empty())
        throw UserError("no program is given; write it after two dashes: swirl record -- PROGRAM ARGUMENTS");
    // Absolute, because the program may change its folder.
    setenv("SWIRL_RECORD", std::filesystem::absolute(options.output).c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& argument : options.program)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    throw std::system_error(errno, std::generic_category(), "cannot run " + options.program[0]);
}

} // namespace

void add_record(CLI::App& program) {
    auto options = std::make_shared<RecordOptions>();
    CLI::App& command = *program.add_subcommand(
        "record", "Run a program, and list the problems that it plans, for 'swirl tune --problems'");
    command
        .add_option("-o,--output", options->output,
                    "The list, one problem a line; the problems of another run are added to it")
        ->type_name("FILE")
        ->capture_default_str();
    command.add_option("PROGRAM", options->program, "The program and its arguments, after two dashes")
        ->type_name("");
    command.footer(
        "For example:\n"
        "  swirl record -o planned.txt -- ./simulation --steps 10\n"
        "  swirl tune --problems planned.txt\n"
        "It sets SWIRL_RECORD=FILE for the program, which may be set without this command, too. With "
        "SWIRL_VERBOSE=1\n"
        "a program prints these lines on standard error; 'swirl tune --problems' reads such a log, too. All "
        "of "
        "swirl's libraries\n"
        "follow it: libswirl, those with the interfaces of FFTW and cuFFT, the BLAS, and the Python "
        "package.");
    command.callback([options] { run(*options); });
}

} // namespace swirl::cli
