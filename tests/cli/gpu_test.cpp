#include "cli/run_swirl.hpp"
#include "support/fake_cuda.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include <cstdlib>
#include <string>

namespace swirl {
namespace gpu_test {

using nlohmann::json;

/// With a driver whose kernels do nothing, or none.
support::Outcome run_with(const std::string& driver, const std::string& arguments) {
    setenv("SWIRL_CUDA_DRIVER", driver.c_str(), 1);
    support::Outcome outcome = run_swirl(arguments);
    unsetenv("SWIRL_CUDA_DRIVER");
    return outcome;
}
support::Outcome run_on_fake(const std::string& arguments) {
    return run_with(support::fake_cuda_library(12080), arguments);
}

void expect_contains(const support::Outcome& outcome, int status,
                     std::initializer_list<const char*> phrases) {
    const std::string said = outcome.output + outcome.errors;
    EXPECT_EQ(outcome.status, status) << said;
    for (const char* expected : phrases)
        EXPECT_NE(said.find(expected), std::string::npos) << expected << " in\n" << said;
}

TEST(DeviceOption, ShowsPlansWithoutADriver) {
    expect_contains(run_with("/nowhere.so", "plan --device sm_90 dft 1024 float32 batch=10"), 0,
                    {"sm_90: 0 stockham(", "blocks", "registers"});
    expect_contains(run_with("/nowhere.so", "show --device sm_80 --stage ptx dft 64"), 0,
                    {".target sm_80", ".entry dft_pass_1"});
    expect_contains(run_with("/nowhere.so", "show --device sm_80 rdft 400x300"), 0,
                    {"# pass 2 of 2", "DFT(10)"});
    expect_contains(run_with("/nowhere.so", "show --device sm_80 rdft 8x16"), 0, {"tile[DFT(8) ⊗ I(9)]"});
    expect_contains(run_with("/nowhere.so", "show --device sm_80 --stage machine-ir dft 16"), 0,
                    {"blocks 1x1x1"});
    expect_contains(run_with("/nowhere.so", "show --device sm_80 --stage ptx dft 64 float16 batch=4"), 0,
                    {".v2.b16", "cvt.rn.f16.f32"});
    const auto report =
        json::parse(run_with("/nowhere.so", "plan --json --device sm_90 dft 256 batch=8").output);
    EXPECT_EQ(report.at("gpu"), "sm_90");
    const auto factors = report.at("kernels").at(0).at("factors").get<std::vector<int>>();
    EXPECT_EQ(std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>()), 256);
}

TEST(DeviceOption, SaysWhatIsMissingOrWrong) {
    for (const char* command : {"plan", "show", "verify", "bench"})
        expect_contains(run_with("/nowhere.so", std::string(command) + " --device gpu dft 64"), 2,
                        {"there is no NVIDIA driver", "/nowhere.so"});
    expect_contains(run_on_fake("plan --device gpu:3 dft 64"), 2, {"no GPU 3"});
    for (const char* command : {"plan", "show", "verify", "bench", "emit"})
        expect_contains(run_on_fake(std::string(command) + " dft 64 'load=\"float16: x\"'"), 2,
                        {"float16 with arithmetic in float64 is for GPUs only", "use float64 or float32"});
    expect_contains(run_on_fake("plan --device tpu dft 64"), 2, {"'tpu'", "gpu:1", "sm_90"});
    expect_contains(run_on_fake("bench --device sm_90 dft 64"), 2, {"'sm_90'"});
    expect_contains(run_on_fake("plan --device gpu --threads 2 dft 64"), 2, {"--threads is for CPUs"});
    expect_contains(run_with("/nowhere.so", "plan --device sm_90 --measure dft 64"), 2,
                    {"--measure times schedules on a GPU of this machine", "use --device gpu", "wisdom"});
    expect_contains(run_with("/nowhere.so", "show --device sm_90 --exhaustive dft 64"), 2, {"--exhaustive"});
    expect_contains(run_on_fake("plan --device gpu dft 100000007"), 2, {"too long", "use lengths up to"});
    expect_contains(run_on_fake("show --device gpu --stage asm dft 64"), 2, {"'asm'", "ptx"});
}

TEST(DeviceOption, PlansTimesAndVerifiesOnAGpu) {
    expect_contains(run_on_fake("plan --device gpu --no-check --no-cache dft 64 batch=4"), 0,
                    {"stockham(8,8)", "workspace"});
    expect_contains(run_on_fake("plan --device gpu --no-cache dft 64"), 1, {"failed its check"});
    expect_contains(run_on_fake("verify --device gpu --no-check --no-cache dft 64"), 1, {"WRONG"});
    expect_contains(
        run_on_fake("bench --device gpu --no-check --no-cache --seconds 0.01 dft 64 dft 16 inplace"), 0,
        {"GB/s", "of copy", "Fake H100", "dft 16 inplace"});
    expect_contains(run_on_fake("verify --device gpu --no-check --no-cache dft 64 float16"), 1, {"WRONG"});
    expect_contains(
        run_on_fake(
            "bench --device gpu --no-check --no-cache --seconds 0.01 dft 64 float16 dft 16 bfloat16 inplace"),
        0, {"dft 64 float16"});
    const auto report = json::parse(
        run_on_fake("bench --json --device gpu --no-check --no-cache --seconds 0.01 dft 64").output);
    EXPECT_GT(report.at("results").at(0).at("median_seconds"), 0);
    EXPECT_GT(report.at("copy_bytes_per_second"), 0);
}

TEST(DeviceOption, StoresGpuMeasurements) {
    const TemporaryFolder folder;
    setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1);
    const std::string of_fake = "--device gpu --no-check --no-cache dft 64 float32 batch=50";
    expect_contains(run_on_fake("plan --measure --budget 5 " + of_fake), 0, {"stockham("});
    const auto entries = json::parse(run_swirl("wisdom list --json").output).at("entries");
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].at("problem"), "dft 64 float32 batch=50");
    EXPECT_EQ(entries[0].at("found_by"), "measure");
    const std::string device = entries[0].at("device");
    EXPECT_NE(device.find("Fake H100"), std::string::npos) << device;
    EXPECT_NE(device.find("compute 9.0"), std::string::npos) << device;
    const std::string schedule = entries[0].at("schedule");
    expect_contains(run_on_fake("plan " + of_fake), 0, {schedule.c_str()});
    expect_contains(run_with("/nowhere.so", "plan --device sm_90 dft 64 float32 batch=50"), 0,
                    {schedule.c_str()});
    expect_contains(run_swirl("wisdom forget dft 64 float32 batch=50"), 0, {"1 entries forgotten"});
    unsetenv("SWIRL_WISDOM");
}

} // namespace gpu_test
} // namespace swirl
