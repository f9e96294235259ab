#include <swirl/version.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/mistake.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "problem/syntax.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

namespace swirl::cli {
namespace {

/// Gives the position in words: a caret needs lines of its own.
std::string on_one_line(const SyntaxError& error) {
    const std::string message = error.what();
    const std::size_t first_end = message.find('\n');
    std::string text = message.substr(first_end + 1, message.find('\n', first_end + 1) - first_end - 1);
    text.erase(0, text.find_first_not_of(' '));
    return fmt::format("{} at character {} of '{}'", message.substr(0, first_end), error.position() + 1,
                       text);
}

/// Of a command with --json the error is a JSON object, too: {"error": {"message": …, "status": 2}}.
class Complaint {
public:
    Complaint(int count, char** arguments) {
        for (int k = 1; k < count && std::string_view(arguments[k]) != "--"; ++k)
            if (std::string_view(arguments[k]) == "--json") prints_json_ = true;
    }
    int operator()(const std::string& message, int status) const {
        std::fprintf(stderr, "swirl: %s\n", message.c_str());
        if (prints_json_ && status != exit_interrupted)
            std::cout << Json{{"error", {{"message", message}, {"status", status}}}}.dump(2) << std::endl;
        return status;
    }

private:
    bool prints_json_ = false;
};

int run(int count, char** arguments, const Complaint& complain) {
    CLI::App program(
        "swirl derives fast Fourier transforms and their relatives as formulas, turns them into machine\n"
        "code for this machine, checks, times and runs them.",
        "swirl");
    program.set_version_flag("--version", "swirl " + std::string(version()), "Print the version and exit");
    program.set_help_flag("-h,--help", "Print help and exit; each command has its own");
    program.require_subcommand(1);
    for (const AddCommand add : commands()) add(program);
    program.footer(
        "A PROBLEM is a transform or a matrix multiplication in one line, such as dft 1024 or gemm "
        "1000x80x60;\n"
        "'swirl help plan' says how to write one. For example:\n"
        "  swirl plan dft 1000            how it would be computed, and how fast\n"
        "  swirl bench dft 1000           its speed beside other libraries'\n"
        "  swirl doctor                   what works on this machine\n"
        "exit status: 0 done, 1 failed or a result is wrong, 2 the command line or the problem cannot be,\n"
        "130 ended by Ctrl-C, with the results until then");
    if (count == 1) {
        std::cout << program.help() << std::flush;
        return 0;
    }
    try {
        program.parse(count, arguments);
        if (is_interrupted())
            return complain("interrupted: the results are those until then", exit_interrupted);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error); // help or version
        return complain(text_of_mistake(program, error, count, arguments), exit_usage);
    }
}

} // namespace
} // namespace swirl::cli

int main(int count, char** arguments) {
    using namespace swirl::cli;
    const Complaint complain(count, arguments);
    try {
        return run(count, arguments, complain);
    } catch (const ExitStatus& exit) {
        return exit.status;
    } catch (const Interrupted&) {
        return complain("interrupted", exit_interrupted);
    } catch (const swirl::SyntaxError& error) {
        return complain(on_one_line(error), exit_usage);
    } catch (const swirl::InternalError& error) {
        return complain(on_one_line(std::string(error.what())), exit_failure);
    } catch (const swirl::Error& error) {
        return complain(on_one_line(std::string(error.what())), exit_usage);
    } catch (const std::bad_alloc&) {
        return complain("out of memory", exit_failure);
    } catch (const std::exception& error) {
        return complain(on_one_line(std::string(error.what())), exit_failure);
    }
}
