#include <swirl/version.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "problem/words.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

namespace swirl::cli {
namespace {

std::string footer() {
    std::string kinds;
    for (const auto& kind : kind_words) kinds += fmt::format(" {}", kind.text);
    return fmt::format(
        "PROBLEM is a transform, lengths and options, as separate words or quoted (for the shell's sake with "
        "parentheses):\n"
        "  dft 1024                     dft 16x8 backward float32 inplace\n"
        "  formula (DFT(2) ⊗ I(4)) · L(8, 2) complex64      a matrix as a formula, (x) * (+) in ASCII\n"
        "  dft 2^20 planar              'dft 64 in=2 batch=10:(128,64) scale=1/64'\n"
        "  convolution 4096 float32     'dft 1024 float16 load=\"x * window[i]\"'\n"
        "transforms:{}\n"
        "or a matrix multiplication, ROWSxCOLUMNSxK (m, n, k):\n"
        "  gemm 1000x80x60              gemm 64x64x64 float32 a=rows b=1:80 batch=10 'epilogue=max(0, x + "
        "bias[i])'\n"
        "  gemm 64x64x64 reduce=amax:max:columns:abs(x) reduce=total:sum:all\n"
        "exit status: 0 done, 1 failed or a result is wrong, 2 the command line or the problem cannot be",
        kinds);
}

/// Joins the lines of a message, without their indentation.
std::string on_one_line(const std::string& message) {
    std::string line;
    for (std::size_t start = 0; start < message.size();) {
        const std::size_t end = std::min(message.find('\n', start), message.size());
        const std::size_t first = message.find_first_not_of(' ', start);
        if (first < end) line += (line.empty() ? "" : "; ") + message.substr(first, end - first);
        start = end + 1;
    }
    return line;
}

/// Gives the position in words: a caret needs lines of its own.
std::string on_one_line(const SyntaxError& error) {
    const std::string message = error.what();
    const std::size_t first_end = message.find('\n');
    std::string text = message.substr(first_end + 1, message.find('\n', first_end + 1) - first_end - 1);
    text.erase(0, text.find_first_not_of(' '));
    return fmt::format("{} at character {} of '{}'", message.substr(0, first_end), error.position() + 1,
                       text);
}

int complain(const std::string& message, int status) {
    std::fprintf(stderr, "swirl: %s\n", message.c_str());
    return status;
}

bool is_command(const CLI::App& program, const std::string& word) {
    const auto all = program.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(all.begin(), all.end(),
                       [&](const CLI::App* command) { return command->get_name() == word; });
}

int run(int count, char** arguments) {
    CLI::App program(
        "swirl derives fast Fourier transforms and their relatives as formulas, turns them into machine\n"
        "code for this machine, checks, times and runs them.",
        "swirl");
    program.set_version_flag("--version", "swirl " + std::string(version()), "Print the version and exit");
    program.set_help_flag("-h,--help", "Print help and exit; each command has its own");
    program.require_subcommand(1);
    program.footer(footer());
    for (const AddCommand add : commands()) add(program);
    try {
        program.parse(count, arguments);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error); // help or version
        if (count > 1 && arguments[1][0] != '-' && !is_command(program, arguments[1]))
            return complain(fmt::format("there is no command '{}'; see swirl --help", arguments[1]),
                            exit_usage);
        return complain(on_one_line(std::string(error.what())) + "; see swirl --help", exit_usage);
    }
}

} // namespace
} // namespace swirl::cli

int main(int count, char** arguments) {
    using namespace swirl::cli;
    try {
        return run(count, arguments);
    } catch (const ExitStatus& exit) {
        return exit.status;
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
