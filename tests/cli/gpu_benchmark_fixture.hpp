#pragma once

#include "cli/run_swirl.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

/// Benchmarks on GPUs as programs, on a driver without one whose kernels do nothing: swirl's results are wrong, those of a peer are
/// those of its stand-in, which computes by the definition.
namespace swirl::support {

class GpuBenchmarkProgram : public testing::Test {
protected:
    using json = nlohmann::json;

    /// `program` and the peer's stand-in are files of the build, `variable` names the peer's library for the program; `more` sets
    /// others.
    GpuBenchmarkProgram(std::string program, std::string variable, std::string stand_in, std::string more)
        : program_(SWIRL_BINARY_DIR "/bin/" + std::move(program)),
          variable_(std::move(variable)),
          stand_in_(SWIRL_BINARY_DIR "/fake_drivers/" + std::move(stand_in)),
          more_(std::move(more)) {}

    void SetUp() override {
        if (!std::filesystem::exists(program_)) GTEST_SKIP() << "SWIRL_BUILD_BENCH is off";
    }

    /// With these libraries in place of the driver's and of the peer.
    Outcome run_with(const std::string& driver, const std::string& peer, const std::string& arguments) {
        return run_command(more_ + " SWIRL_KERNEL_CACHE=off SWIRL_CUDA_DRIVER=" + support::quoted(driver) +
                           " " + variable_ + "=" + support::quoted(peer) + " " + support::quoted(program_) +
                           " " + arguments);
    }

    json rows_of(const std::string& arguments) { return rows_of(arguments, stand_in_); }
    json rows_of(const std::string& arguments, const std::string& peer) {
        const std::string file = (folder_.path() / "results.json").string();
        outcome = run_with(fake_cuda_library(12080), peer,
                           "--volume 0.02 --seconds 0.01 " + arguments + " --json " + support::quoted(file));
        if (!std::filesystem::exists(file)) {
            ADD_FAILURE() << outcome.errors;
            return json::array();
        }
        report = json::parse(std::ifstream(file));
        json rows = json::array();
        for (const json& group : report["groups"])
            for (const json& row : group["rows"]) rows.push_back(row);
        return rows;
    }

    static json entry_of(const json& row, const std::string& name) {
        for (const json& entry : row["entries"])
            if (entry["name"] == name) return entry;
        ADD_FAILURE() << "no " << name << " in " << row;
        return {};
    }

    Outcome outcome;
    json report;
    TemporaryFolder folder_;

private:
    std::string program_, variable_, stand_in_, more_;
};

} // namespace swirl::support
