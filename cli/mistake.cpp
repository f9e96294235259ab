#include "cli/mistake.hpp"

#include "problem/suggestion.hpp"
#include "problem/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace swirl::cli {
namespace {

/// Other programs' commands and options.
constexpr ForeignWord foreign_commands[] = {
    {"benchmark", "bench"}, {"check", "verify"},  {"clean", "clear"},   {"codegen", "emit"},
    {"delete", "forget"},   {"generate", "emit"}, {"info", "doctor"},   {"measure", "tune"},
    {"plot", "report"},     {"print", "show"},    {"remove", "forget"}, {"show", "list"},
    {"status", "doctor"},   {"test", "verify"},   {"time", "bench"},    {"validate", "verify"},
};
constexpr ForeignWord foreign_options[] = {
    {"--accuracy", "--gemm-accuracy"},
    {"--arch", "--cpu"},
    {"--cuda", "--device gpu"},
    {"--effort", "--measure"},
    {"--estimate", "--budget 0"},
    {"--gpu", "--device gpu"},
    {"--lang", "--language"},
    {"--nthreads", "--threads"},
    {"--patient", "--exhaustive"},
    {"--plan", "--schedule"},
    {"--recipe", "--schedule"},
    {"--target", "--cpu"},
    {"--time", "--seconds"},
    {"--timeout", "--budget"},
    {"-d", "--device"},
    {"-j", "--threads"},
    {"-n", "--threads"},
    {"-t", "--threads"},
    {"-v", "--version"},
};

std::vector<std::string> command_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

/// The command that the arguments name, however deep.
const CLI::App& named_command(const CLI::App& program) {
    const auto parsed = program.get_subcommands();
    return parsed.empty() ? program : named_command(*parsed.back());
}

/// "swirl wisdom list".
std::string path_of(const CLI::App& command) {
    const CLI::App* const parent = command.get_parent();
    return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

/// Only foreign words whose meaning is known.
std::string nearest(const std::string& word, const std::vector<std::string>& known,
                    std::span<const ForeignWord> foreign) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    std::vector<ForeignWord> meant;
    for (const ForeignWord& one : foreign) {
        const std::string_view name = one.meaning.substr(0, one.meaning.find(' '));
        if (std::find(views.begin(), views.end(), name) != views.end()) meant.push_back(one);
    }
    return did_you_mean(word, views, meant);
}

bool begins_problem(const std::string& word) {
    const auto is_named = [&](const auto& named) { return word == named.text; };
    return (word[0] >= '0' && word[0] <= '9') ||
           std::any_of(std::begin(kind_words), std::end(kind_words), is_named) ||
           std::any_of(std::begin(kind_synonyms), std::end(kind_synonyms), is_named) ||
           std::any_of(std::begin(gemm_words), std::end(gemm_words), is_named);
}

std::string unknown_command(const CLI::App& command, const std::string& word) {
    std::string text = fmt::format("there is no command '{}'", word);
    const std::vector<std::string> names = command_names(command);
    if (begins_problem(word)) return text + fmt::format("; to plan a problem write: swirl plan {} …", word);
    if (const std::string meant = nearest(word, names, foreign_commands); !meant.empty()) return text + meant;
    return fmt::format("{}; {} has {}", text, path_of(command), fmt::join(names, ", "));
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string given = word.substr(0, word.find('='));
    const std::string meant = nearest(given, names, foreign_options);
    return fmt::format("'{}' has no option '{}'{}", path_of(command), given,
                       meant.empty() ? fmt::format("; see {} --help", path_of(command)) : meant);
}

} // namespace

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

std::string text_of_mistake(const CLI::App& program, const CLI::ParseError& error, int count,
                            const char* const* arguments) {
    const CLI::App& command = named_command(program);
    const std::string see = fmt::format("; see {} --help", path_of(command));
    const std::vector<std::string> names = command_names(command);
    // The first argument after the command's name.
    const auto next = std::find_if(arguments + 1, arguments + count, [&](const char* argument) {
        return &command == &program || command.get_name() == argument;
    });
    const auto* const after = &command == &program ? next : std::min(next + 1, arguments + count);
    if (!names.empty() && after != arguments + count && **after != '-')
        return unknown_command(command, *after);
    if (!names.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
        return fmt::format("{} needs a command: {}", path_of(command), fmt::join(names, ", "));
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        // "The following arguments were not expected: --thread 2"
        std::istringstream words(error.what());
        for (std::string word; words >> word;)
            if (word.starts_with('-')) return unknown_option(command, word);
    }
    if (dynamic_cast<const CLI::ConversionError*>(&error) !=
        nullptr) { // "Could not convert: --threads = all"
        const std::string text = error.what();
        const std::size_t name = text.find("--"), equals = text.find(" = ");
        if (name != std::string::npos && equals != std::string::npos)
            return fmt::format("{} is '{}', which is no number{}", text.substr(name, equals - name),
                               text.substr(equals + 3), see);
    }
    return on_one_line(error.what()) + see;
}

} // namespace swirl::cli
