// Options::memory_limit_bytes on CPUs; tests/api/gpu_*_test.cpp have it on GPUs.

#include <swirl/swirl.hpp>

#include "api/c_interface.hpp"
#include "support/cuda_fixture.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <string>

namespace swirl {
namespace memory_limit_test {

using runtime::expect_contains;

std::string refusal(const char* problem, const Options& options) {
    return error_of<OutOfMemory>([&] { swirl::plan(problem, options); });
}

Options limited(std::size_t bytes, bool check = false) {
    Options options;
    options.memory_limit_bytes = bytes;
    options.check = check;
    options.use_wisdom = false;
    return options;
}

constexpr const char* with_workspace = "dft 65536";

/// The bytes that a refusal says would do.
std::size_t allowed_by(const std::string& message) {
    const std::string before = "allow ";
    return std::stoull(message.substr(message.find(before) + before.size()));
}

TEST(MemoryLimit, AllowsExactlyWhatThePlanNeeds) {
    const Plan unlimited = swirl::plan(with_workspace, limited(0));
    ASSERT_GT(unlimited.workspace_bytes(), 0U);
    const std::string message = refusal(with_workspace, limited(unlimited.workspace_bytes()));
    expect_contains(message, {"of workspace", "of tables", "memory_limit_bytes is", "problem: dft 65536"});
    const std::size_t need = allowed_by(message);
    EXPECT_GT(need, unlimited.workspace_bytes());
    const Plan exact = swirl::plan(with_workspace, limited(need));
    EXPECT_EQ(exact.schedule(), unlimited.schedule());
    EXPECT_NE(refusal(with_workspace, limited(need - 1)), "");
}

TEST(MemoryLimit, CountsTheArraysOfTheCheck) {
    EXPECT_EQ(refusal("dft 1024", limited(60'000)), "");
    expect_contains(refusal("dft 1024", limited(60'000, true)),
                    {"for the check before first use", "is 60000", "check = false"});
    EXPECT_EQ(refusal("dft 1024", limited(200'000, true)), "");
    const std::size_t need = allowed_by(refusal(with_workspace, limited(1000, true)));
    EXPECT_EQ(refusal(with_workspace, limited(need, true)), "");
    EXPECT_NE(refusal(with_workspace, limited(need - 1, true)), "");
}

TEST(MemoryLimit, RefusesBeforeItTakesMemory) {
    const auto largest_kibibytes = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const auto before = largest_kibibytes();
    expect_contains(refusal("dft 1024 batch=16384", limited(1 << 20, true)), {"check = false"});
    expect_contains(refusal("dft 2^28", limited(1 << 20)), {"4294967296 of workspace"});
    EXPECT_LT(largest_kibibytes() - before, 64 * 1024);
}

TEST(MemoryLimit, CountsTheArraysOfASearch) {
    Options options = limited(100'000);
    options.effort = Effort::measure;
    options.time_budget_seconds = 0.01;
    expect_contains(refusal("dft 4096", options), {"131072 for benchmarks", "effort = estimate"});
}

TEST(MemoryLimit, CountsThePackedOperandsOfProducts) {
    expect_contains(refusal("gemm 700x600x500", limited(1000)), {"of packed operands", "problem: gemm"});
    EXPECT_EQ(refusal("gemm 700x600x500", limited(std::size_t{1} << 30)), "");
    EXPECT_EQ(refusal("gemm 4x4x4", limited(1000)), "");
}

TEST(MemoryLimit, IsAnOptionOfTheCInterface) {
    swirl_options options = SWIRL_OPTIONS_INIT;
    options.memory_limit_bytes = 1000;
    swirl_plan* plan = nullptr;
    EXPECT_EQ(swirl_plan_from_text(with_workspace, &options, &plan), SWIRL_OUT_OF_MEMORY);
    EXPECT_EQ(plan, nullptr);
    expect_contains(swirl_last_error(), {"memory_limit_bytes is 1000", "allow "});
    options.memory_limit_bytes = std::size_t{1} << 30;
    EXPECT_NE(c::plan(with_workspace, &options), nullptr);
}

} // namespace memory_limit_test
} // namespace swirl
