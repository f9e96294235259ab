#include "cli/run_swirl.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace swirl {
namespace doctor_test {

/// With these variables set besides.
support::Outcome run_doctor(const std::string& variables) {
    return support::run_command("SWIRL_WISDOM=:memory: SWIRL_KERNEL_CACHE=off " + variables + " " +
                                support::quoted(SWIRL_BINARY_DIR "/bin/swirl") + " doctor --json");
}

nlohmann::json finding(const support::Outcome& outcome, const std::string& what) {
    const nlohmann::json report = nlohmann::json::parse(outcome.output);
    for (const auto& one : report["findings"])
        if (one["what"] == what) return one;
    ADD_FAILURE() << "nothing about " << what << " in " << outcome.output;
    return {};
}

TEST(Doctor, SaysWhatWorks) {
    const auto outcome = run_swirl("doctor --json");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_TRUE(finding(outcome, "a transform")["works"]);
    for (const char* what : {"CPU", "clock", "threads", "machine code", "GPU", "wisdom", "shipped wisdom",
                             "kernel cache", "to compare with"})
        EXPECT_NE(finding(outcome, what)["state"], "") << what;
}

TEST(Doctor, SaysWhatToDoWhereMachineCodeIsForbidden) {
    const auto outcome = run_doctor("SWIRL_NO_JIT=1");
    const auto code = finding(outcome, "machine code");
    EXPECT_FALSE(code["works"]);
    EXPECT_NE(code["remedy"].get<std::string>().find("SWIRL_NO_JIT"), std::string::npos);
    EXPECT_TRUE(finding(outcome, "a transform")["works"]); // on built-in kernels
}

TEST(Doctor, NamesThePlaceThatCannotBeWritten) {
    const auto outcome = run_doctor("SWIRL_WISDOM=/proc/wisdom.sqlite");
    const auto wisdom = finding(outcome, "wisdom");
    EXPECT_NE(wisdom["state"].get<std::string>().find("/proc/wisdom.sqlite"), std::string::npos);
}

} // namespace doctor_test
} // namespace swirl
