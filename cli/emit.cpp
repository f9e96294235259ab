#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/generated_cpp.hpp"
#include "cli/output.hpp"
#include "cli/planning.hpp"
#include "cli/problems.hpp"

#include <cctype>
#include <memory>

namespace swirl::cli {
namespace {

struct Options {
    std::vector<std::string> words;
    std::string file;
    std::string header;
    std::string function;
    PlanningOptions planning;
};

void check_identifier(const std::string& name) {
    bool good = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (!good) throw UserError("--function is '{}', which is no C identifier", name);
}

void emit(const Options& options) {
    const Problem problem = parse_one_problem(options.words);
    const std::string function = options.function.empty() ? function_name(problem) : options.function;
    check_identifier(function);
    const StandaloneCpp cpp =
        plan_as_cpp(*make_plan(problem, options.planning, api::Purpose::inspect), function);
    if (!options.header.empty()) write_file(options.header, cpp.header);
    if (options.file.empty())
        print(cpp.source);
    else
        write_file(options.file, cpp.source);
}

} // namespace

void add_emit(CLI::App& program) {
    auto options = std::make_shared<Options>();
    CLI::App& command =
        *program.add_subcommand("emit", "Write a transform as a standalone C++ file that needs no swirl");
    add_problem_words(command, options->words, "What to write");
    command
        .add_option("-o,--output", options->file, "File to write (whole or not at all); else standard output")
        ->type_name("FILE");
    command
        .add_option("--header", options->header, "Also write its declaration, for C and C++, to this file")
        ->type_name("FILE");
    command.add_option("--function", options->function, "Name of the function; else made from the problem")
        ->type_name("NAME");
    options->planning.add_to(command);
    command.callback([options] { emit(*options); });
}

} // namespace swirl::cli
