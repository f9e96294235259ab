// `swirl … gemm … --device`, without a driver or with one whose kernels do nothing.

#include "cli/run_swirl.hpp"
#include "support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace swirl {
namespace {

using nlohmann::json;

support::Outcome run_with(const std::string& driver, const std::string& arguments) {
    setenv("SWIRL_CUDA_DRIVER", driver.c_str(), 1);
    support::Outcome outcome = run_swirl(arguments);
    unsetenv("SWIRL_CUDA_DRIVER");
    return outcome;
}
support::Outcome run_without_driver(const std::string& arguments) {
    return run_with("/nowhere.so", arguments);
}

void expect_contains(const support::Outcome& outcome, int status, std::initializer_list<const char*> parts) {
    const std::string said = outcome.output + outcome.errors;
    EXPECT_EQ(outcome.status, status) << said;
    for (const char* part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in\n" << said;
}

TEST(ProductsOnGpus, AreShownForAKindOfGpuWithoutADriver) {
    expect_contains(run_without_driver("show --device sm_90 gemm 200x100x300 float32"), 0,
                    {"program gemm", "parameter reads_c"});
    expect_contains(run_without_driver("show --device sm_80 --stage ptx gemm 100x200x300 b=rows"), 0,
                    {".target sm_80", ".entry gemm", "cp.async", "fma.rn.f64"});
    expect_contains(run_without_driver("show --device sm_90 --stage asm gemm 8x8x8"), 2, {"one of ir, ptx"});
    expect_contains(run_without_driver("show --device sm_90 gemm 0x8x8"), 2, {"nothing is to be computed"});
}

TEST(ProductsOnGpus, ArePlannedForAKindOfGpuWithoutADriver) {
    expect_contains(run_without_driver("plan --device sm_90 gemm 2048x2048x2048 float32"), 0,
                    {"schedule   block_rows=", "17179869184", "estimate", "shared"});
    const auto report =
        json::parse(run_without_driver("plan --json --device sm_80 gemm 256x256x64 float32").output);
    EXPECT_EQ(report.at("gpu"), "sm_80");
    EXPECT_EQ(report.at("kernels").at(0).at("cluster"), 1);
    const std::string schedule = report.at("schedule");
    const auto again =
        run_without_driver("plan --json --device sm_80 gemm 256x256x64 float32 --recipe '" + schedule + "'");
    EXPECT_EQ(json::parse(again.output), report);
}

TEST(ProductsOnGpus, SayWhatDoesNotFit) {
    expect_contains(run_without_driver("plan --device sm_90 gemm 8x8x8 complex64"), 2,
                    {"complex64", "float32 and float64 are possible"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 64x64x64 --recipe block_rows=96"), 2,
                    {"this schedule does not suit"});
    expect_contains(run_without_driver("plan --device sm_90 gemm 64x64x64 --recipe rows=96"), 2,
                    {"'rows=96'"});
    expect_contains(run_without_driver("plan --device sm_90 --cpu avx2 gemm 8x8x8"), 2,
                    {"--cpu is for CPUs"});
    expect_contains(run_without_driver("plan --device sm_90 --measure gemm 8x8x8"), 2, {"--device gpu"});
    for (const char* command : {"plan", "show"})
        expect_contains(run_without_driver(std::string(command) + " --device gpu gemm 8x8x8"), 2,
                        {"there is no NVIDIA driver"});
}

} // namespace
} // namespace swirl
