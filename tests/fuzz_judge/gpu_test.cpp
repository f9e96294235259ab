#include "fuzz/journal.hpp"
#include "fuzz/setting.hpp"

#include "support/fake_cuda.hpp"

#include <swirl/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

/// On a GPU that computes nothing every case has to fail.
namespace swirl::fuzz {
namespace gpu_test {

constexpr std::uint64_t seeds = 60;

Record& record() {
    static const auto one = std::make_unique<Record>();
    return *one;
}

/// What a case ends with: "" where it passes, "refused" where its problem is invalid.
std::string outcome_of(Case run_case, std::uint64_t seed) {
    setenv("SWIRL_CUDA_DRIVER", support::fake_cuda_library(12080).c_str(), 1);
    setenv("SWIRL_KERNEL_CACHE", "off", 1);
    Journal journal(record());
    Setting setting{.cpu = "gpu", .on_gpu = true};
    setting.limits = {.points = 512, .elements = 1024, .span = 4096};
    const std::uint64_t refused = record().refused;
    try {
        run_case(seed, setting, journal);
    } catch (const Failure& failure) {
        return failure.kind;
    } catch (const InternalError&) { // of the check before first use
        return "check";
    }
    return record().refused > refused ? "refused" : "";
}

TEST(FuzzOfGpus, FindsTransformsThatWereNotComputed) {
    int found = 0;
    std::string passed; // those of single points in place that stay what they are
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::string outcome = outcome_of(fuzz_gpu_transform, seed);
        if (outcome.empty()) passed += std::string(record().doing.data()) + "\n";
        found += outcome == "wrong" ? 1 : 0;
    }
    EXPECT_GT(found, static_cast<int>(seeds) / 5);
    std::istringstream lines(passed);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_NE(line.find("inplace"), std::string::npos) << line;
        EXPECT_NE(line.find(" 1"), std::string::npos) << line;
    }
}

TEST(FuzzOfGpus, FindsProductsThatWereNotComputed) {
    int found = 0, passed = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::string outcome = outcome_of(fuzz_gpu_product, seed);
        passed += outcome.empty() ? 1 : 0; // a C without elements, or one that is to stay
        found += outcome == "wrong product" ? 1 : 0;
    }
    EXPECT_GT(found, static_cast<int>(seeds) / 5);
    EXPECT_LT(passed, static_cast<int>(seeds) / 4);
}

} // namespace gpu_test
} // namespace swirl::fuzz
