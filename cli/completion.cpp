#include "base/error.hpp"
#include "cli/command.hpp"
#include "problem/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace swirl::cli {
namespace {

/// A command, and what may follow it.
struct Page {
    std::string path; ///< "swirl wisdom export"
    const CLI::App* command = nullptr;
    std::vector<const CLI::App*> commands = {};
    std::vector<const CLI::Option*> options = {}; ///< that have a long name
    bool takes_problems = false;
};

Page page_of(const std::string& path, const CLI::App& command) {
    Page page{path, &command};
    page.commands = command.get_subcommands([](const CLI::App*) { return true; });
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_lnames().empty()) page.options.push_back(option);
        if (option->get_positional() && option->get_single_name().starts_with("PROBLEM"))
            page.takes_problems = true;
    }
    return page;
}

void add_pages(std::vector<Page>& pages, const std::string& path, const CLI::App& command) {
    pages.push_back(page_of(path, command));
    const std::vector<const CLI::App*> inner = pages.back().commands;
    for (const CLI::App* one : inner) add_pages(pages, path + " " + one->get_name(), *one);
}

std::vector<Page> pages_of(const CLI::App& program) {
    std::vector<Page> pages;
    add_pages(pages, program.get_name(), program);
    return pages;
}

/// The first words of problems, and the words that may follow.
std::vector<std::string> words_of_problems() {
    std::vector<std::string> words{"gemm", "float32", "float64", "batch="};
    for (const auto& kind : kind_words) words.emplace_back(kind.text);
    for (const auto& direction : direction_words) words.emplace_back(direction.text);
    for (const auto& layout : layout_words) words.emplace_back(layout.text);
    words.emplace_back(placement_words[1].text);
    return words;
}

std::vector<std::string> words_after(const Page& page) {
    std::vector<std::string> words;
    for (const CLI::App* command : page.commands) words.push_back(command->get_name());
    for (const CLI::Option* option : page.options) words.push_back("--" + option->get_lnames().front());
    if (page.takes_problems)
        for (const std::string& word : words_of_problems()) words.push_back(word);
    return words;
}

std::string for_bash(const std::vector<Page>& pages) {
    std::vector<std::string> paths;
    std::string cases;
    for (const Page& page : pages) {
        paths.push_back("'" + page.path + "'");
        cases += fmt::format("    '{}') words='{}' ;;\n", page.path, fmt::join(words_after(page), " "));
    }
    return fmt::format(R"(_swirl() {{
    local path=swirl words= word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
        {}) path="$path $word" ;;
        esac
    done
    case "$path" in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o bashdefault -o default -F _swirl swirl
)",
                       fmt::join(paths, " | "), cases);
}

std::string for_zsh(const std::vector<Page>& pages) {
    return "#compdef swirl\nautoload -Uz bashcompinit && bashcompinit\n" + for_bash(pages);
}

std::string quoted_for_fish(std::string text) {
    std::string result = "'";
    for (const char c : text.substr(0, text.find('\n'))) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

std::string for_fish(const std::vector<Page>& pages) {
    std::string script;
    for (const Page& page : pages) {
        const std::size_t space = page.path.rfind(' ');
        const std::string condition = space == std::string::npos
                                          ? "__fish_use_subcommand"
                                          : "__fish_seen_subcommand_from " + page.path.substr(space + 1);
        const auto add = [&](const std::string& what, const std::string& description) {
            script += fmt::format("complete -c swirl -n '{}' {} -d {}\n", condition, what,
                                  quoted_for_fish(description));
        };
        for (const CLI::App* command : page.commands)
            add("-f -a " + command->get_name(), command->get_description());
        for (const CLI::Option* option : page.options)
            add("-l " + option->get_lnames().front(), option->get_description());
    }
    return script;
}

struct Shell {
    const char* name;
    std::string (*script)(const std::vector<Page>& pages);
};
constexpr Shell shells[] = {{"bash", for_bash}, {"fish", for_fish}, {"zsh", for_zsh}};

std::vector<std::string> names_of_shells() {
    std::vector<std::string> names;
    for (const Shell& shell : shells) names.emplace_back(shell.name);
    return names;
}

} // namespace

void add_completion(CLI::App& program) {
    CLI::App& command =
        *program.add_subcommand("completion", "Print the script that completes swirl's words in a shell");
    const auto shell = std::make_shared<std::string>();
    command.add_option("SHELL", *shell, "bash, fish or zsh")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(names_of_shells()));
    command.footer(
        "For example:\n"
        "  swirl completion bash > ~/.local/share/bash-completion/completions/swirl\n"
        "  swirl completion fish > ~/.config/fish/completions/swirl.fish\n"
        "  swirl completion zsh > ~/.zfunc/_swirl   (a folder that fpath names)");
    command.callback([&program, shell] {
        const auto* const found = std::find_if(std::begin(shells), std::end(shells),
                                               [&](const Shell& one) { return *shell == one.name; });
        std::cout << found->script(pages_of(program)) << std::flush;
    });
}

} // namespace swirl::cli
