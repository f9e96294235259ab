#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace swirl {
namespace completion_test {

/// What bash offers where the last of these words is being written.
std::set<std::string> offered(const std::string& words) {
    const TemporaryFolder folder;
    const auto script = run_swirl("completion bash");
    EXPECT_EQ(script.status, 0) << script.errors;
    std::ofstream(folder.path() / "swirl.bash") << script.output;
    const auto outcome = support::run_command(
        "bash -c '. " + (folder.path() / "swirl.bash").string() + "; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _swirl; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream stream(outcome.output);
    std::set<std::string> result;
    for (std::string word; stream >> word;) result.insert(word);
    return result;
}

TEST(Completion, OffersCommandsOptionsAndWordsOfProblems) {
    EXPECT_TRUE(offered("swirl \"\"").contains("plan"));
    EXPECT_EQ(offered("swirl ver"), (std::set<std::string>{"verify", "version"}));
    EXPECT_TRUE(offered("swirl plan --cp").contains("--cpu"));
    EXPECT_EQ(offered("swirl plan rd"), std::set<std::string>{"rdft"});
    EXPECT_EQ(offered("swirl --json plan dft 8 backw"), std::set<std::string>{"backward"});
    EXPECT_TRUE(offered("swirl wisdom \"\"").contains("export"));
    EXPECT_FALSE(offered("swirl wisdom \"\"").contains("plan"));
}

TEST(Completion, ServesOtherShells) {
    const auto fish = run_swirl("completion fish"), zsh = run_swirl("completion zsh");
    EXPECT_NE(fish.output.find("complete -c swirl -n '__fish_use_subcommand' -f -a plan -d "),
              std::string::npos);
    EXPECT_TRUE(zsh.output.starts_with("#compdef swirl\n"));
    EXPECT_EQ(run_swirl("completion csh").status, 2);
}

} // namespace completion_test
} // namespace swirl
