#include "base/error.hpp"
#include "cli/command.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace swirl::cli {

void add_help(CLI::App& program) {
    CLI::App& command = *program.add_subcommand("help", "Print the help of a command");
    const auto words = std::make_shared<std::vector<std::string>>();
    command.add_option("COMMAND", *words, "Such as plan, or wisdom export; without it, of swirl")
        ->type_name("");
    command.footer("For example:\n  swirl help plan\n  swirl help wisdom export");
    command.callback([&program, words] {
        const CLI::App* page = &program;
        std::string path; // of the page's parent
        for (const std::string& word : *words) {
            const auto named =
                page->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
            if (named.empty())
                throw UserError("there is no command '{}' to help with; see swirl --help", word);
            path += (path.empty() ? "" : " ") + page->get_name();
            page = named.front();
        }
        path += (path.empty() ? "" : " ") + page->get_name();
        std::cout << page->get_formatter()->make_help(page, path, CLI::AppFormatMode::Normal) << std::flush;
    });
}

} // namespace swirl::cli
