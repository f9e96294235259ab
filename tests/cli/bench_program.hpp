#pragma once

#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// The program `bench`, in a folder of peers that is empty.
namespace swirl::support {

class BenchProgram : public testing::Test {
protected:
    using json = nlohmann::json;
    static constexpr const char* program = SWIRL_BINARY_DIR "/bin/bench";

    void SetUp() override {
        if (!std::filesystem::exists(program)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    }

    Outcome run(const std::string& arguments) {
        return run_command("SWIRL_PEERS=" + quoted(folder_.path().string()) + " " + environment_ + " " +
                           quoted(program) + " " + arguments);
    }

    /// The rows of a short run; `run_` has the line before them.
    std::vector<json> rows(const std::string& arguments) {
        const std::string file = (folder_.path() / "results.jsonl").string();
        std::filesystem::remove(file);
        outcome_ =
            run("--rounds 2 --seconds 0.02 --fftw-seconds 0.1 " + arguments + " --json " + quoted(file));
        std::ifstream stream(file);
        std::vector<json> lines;
        for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
        if (lines.empty()) {
            ADD_FAILURE() << outcome_.errors;
            return {};
        }
        run_ = lines.front()["run"];
        lines.erase(lines.begin());
        return lines;
    }

    const TemporaryFolder folder_;
    std::string environment_;
    Outcome outcome_;
    json run_;
};

} // namespace swirl::support
