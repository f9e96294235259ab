// `swirl plan --ranks` and `swirl explain --ranks`: plans for ranks that are not there.

#include "cli/run_swirl.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace swirl {
namespace ranks_test {

using nlohmann::json;

TEST(PlanForRanks, TellsWhatEachRankDoes) {
    const support::Outcome outcome =
        run_swirl("plan dft 512x512x512 --ranks 4x2 --input slabs --output slabs");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* const part :
         {"8, 2 of a node", "schedule   in[2", "stream     ", " → work 1: 32 chunks", "estimate"})
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
    const support::Outcome of_short_messages =
        run_swirl("plan dft 32x32x32 --ranks 4x2 --input slabs --output slabs");
    for (const char* const part : {"exchange   work 1", "transform  input"})
        EXPECT_NE(of_short_messages.output.find(part), std::string::npos) << of_short_messages.output;
}

TEST(PlanForRanks, SendsLessIfTheOutputIsFree) {
    const auto bytes = [](const char* output) {
        const support::Outcome outcome =
            run_swirl(std::string("plan --json dft 64x64x64 --ranks 4 --input slabs --output ") + output);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        const json plan = json::parse(outcome.output);
        return plan.at("bytes").at(0).get<Integer>();
    };
    EXPECT_EQ(2 * bytes("free"), bytes("slabs"));
}

TEST(PlanForRanks, DependsOnTheMachine) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "machine.json").string();
    std::ofstream(file) << R"({"network_latency": 1, "node_latency": 1})";
    const auto seconds = [](const std::string& more) {
        return json::parse(run_swirl("plan --json dft 64x64 --ranks 2x2 " + more).output)
            .at("seconds")
            .get<double>();
    };
    EXPECT_GT(seconds("--machine " + file), 1);
    EXPECT_LT(seconds(""), 1);
    std::ofstream(file) << R"({"latency": 1})";
    const support::Outcome wrong = run_swirl("plan dft 64x64 --ranks 2 --machine " + file);
    EXPECT_NE(wrong.status, 0);
    EXPECT_NE(wrong.errors.find("unknown member 'latency'"), std::string::npos) << wrong.errors;
}

TEST(PlanForRanks, RejectsWhatIsNoNumberOfRanks) {
    for (const char* const ranks : {"0", "x", "4x", "2x0", "-1", "1000000000"}) {
        const support::Outcome outcome = run_swirl(std::string("plan dft 64x64 --ranks=") + ranks);
        EXPECT_NE(outcome.status, 0) << ranks;
        EXPECT_NE(outcome.errors.find("--ranks is"), std::string::npos) << outcome.errors;
    }
}

TEST(ExplainForRanks, PrintsTheDerivation) {
    const support::Outcome outcome = run_swirl("explain dft 8x8 --ranks 2");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* const part : {"par(p)[A B] → par(p)[A] par(p)[B]", "exchange[", "rank(1)["})
        EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
}

} // namespace ranks_test
} // namespace swirl
