// Wisdom, the cache of kernels, warnings and devices through the public interface.

#include "api/c_interface.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <swirl/swirl.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace swirl {
namespace wisdom_interface_test {

class WisdomInterface : public testing::Test {
protected:
    void SetUp() override { use("wisdom.sqlite"); }
    void TearDown() override {
        unsetenv("SWIRL_WISDOM");
        unsetenv("SWIRL_KERNEL_CACHE");
    }
    std::string use(const std::string& name) const {
        const std::string file = (folder_.path() / name).string();
        setenv("SWIRL_WISDOM", file.c_str(), 1);
        return file;
    }
    static std::string measured(const std::string& problem) {
        return plan(problem, {.effort = Effort::measure, .time_budget_seconds = 0.5}).schedule();
    }
    static std::string text_of(swirl_status (*function)(char*, std::size_t, std::size_t*)) {
        char text[500] = {};
        EXPECT_EQ(function(text, sizeof text, nullptr), SWIRL_OK) << swirl_last_error();
        return text;
    }

    TemporaryFolder folder_;
};

TEST_F(WisdomInterface, IsExportedImportedAndForgotten) {
    EXPECT_EQ(wisdom::path(), (folder_.path() / "wisdom.sqlite").string());
    std::ostringstream nothing;
    EXPECT_EQ(wisdom::export_to(nothing), 0);
    const std::string schedule = measured("dft 720");
    std::stringstream lines;
    const Integer exported = wisdom::export_to(lines);
    EXPECT_GT(exported, 0);
    EXPECT_NE(lines.str().find("dft 720"), std::string::npos);

    use("other.sqlite");
    lines << "no entry\n";
    const wisdom::Imported imported = wisdom::import_from(lines);
    EXPECT_EQ(imported.stored, exported);
    EXPECT_EQ(imported.unreadable, 1);
    EXPECT_EQ(plan("dft 720").schedule(), schedule);
    EXPECT_GT(wisdom::forget(parse_problem("fft 720")), 0);
    EXPECT_EQ(wisdom::forget(parse_problem("fft 720")), 0);
    EXPECT_EQ(wisdom::forget_all(), exported - 1);
}

TEST_F(WisdomInterface, ServesC) {
    EXPECT_EQ(text_of(swirl_wisdom_path), wisdom::path());
    measured("dft 720");
    const std::string file = (folder_.path() / "lines").string();
    ASSERT_EQ(swirl_wisdom_export(file.c_str()), SWIRL_OK) << swirl_last_error();
    const c::Problem problem = c::transform(SWIRL_DFT, {720});
    ASSERT_EQ(swirl_wisdom_forget(problem.get()), SWIRL_OK);
    EXPECT_EQ(wisdom::forget(parse_problem("dft 720")), 0);
    ASSERT_EQ(swirl_wisdom_import(file.c_str()), SWIRL_OK) << swirl_last_error();
    EXPECT_GT(wisdom::forget(parse_problem("dft 720")), 0);
    ASSERT_EQ(swirl_wisdom_forget(nullptr), SWIRL_OK);
    EXPECT_EQ(wisdom::forget_all(), 0);
    c::expect_error(swirl_wisdom_import((folder_.path() / "missing").c_str()), SWIRL_SYSTEM_ERROR,
                    "cannot read");
    c::expect_error(swirl_wisdom_export((folder_.path() / "missing" / "lines").c_str()), SWIRL_SYSTEM_ERROR,
                    "No such file");
    EXPECT_EQ(swirl_wisdom_import(nullptr), SWIRL_USER_ERROR);
    std::ofstream(file) << "no entry\n";
    c::expect_error(swirl_wisdom_import(file.c_str()), SWIRL_USER_ERROR, "1 lines");
}

TEST_F(WisdomInterface, WarnsTheSinkOfThePlan) {
    std::ofstream(use("damaged.sqlite")) << std::string(8192, 'x');
    std::vector<std::string> warnings;
    plan("dft 48", {.log = [&](const std::string& line) { warnings.push_back(line); }});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("damaged.sqlite"), std::string::npos) << warnings[0];
}

TEST_F(WisdomInterface, KernelCacheSaysWhereItIs) {
    setenv("SWIRL_KERNEL_CACHE", "off", 1);
    const std::string off = kernel_cache::path();
    if (!off.empty()) GTEST_SKIP() << "this process has a cache already";
    EXPECT_EQ(text_of(swirl_kernel_cache_path), "");
    std::stringstream none;
    EXPECT_EQ(kernel_cache::export_to(none), 0);
    EXPECT_EQ(kernel_cache::forget_all(), 0);
    EXPECT_THROW(kernel_cache::import_from(none), UserError);
    EXPECT_EQ(swirl_kernel_cache_forget(), SWIRL_OK);
}

TEST(Devices, AreNoneWithoutADriver) {
    setenv("SWIRL_CUDA_DRIVER", "/there/is/no/driver.so", 1);
    if (gpu_count() > 0) GTEST_SKIP() << "this process has a driver already";
    EXPECT_NE(why_no_gpu().find("there is no NVIDIA driver"), std::string::npos) << why_no_gpu();
    EXPECT_THROW(plan("dft 8", {.device = Device::gpu()}), Unavailable);
    EXPECT_THROW(static_cast<void>(Device::gpu().name()), Unavailable);
    c::expect_error(swirl_gpu_available(), SWIRL_UNAVAILABLE, "no NVIDIA driver");
    EXPECT_EQ(swirl_gpu_count(), 0);
    const swirl_options on_gpu = c::on_gpu();
    swirl_plan* none = nullptr;
    EXPECT_EQ(swirl_plan_from_text("gemm 2x2x2", &on_gpu, &none), SWIRL_UNAVAILABLE);
    EXPECT_NE(Device::cpu().name(), "");
    EXPECT_GT(Device::cpu().memory_bytes(), Device::cpu().free_memory_bytes());
    unsetenv("SWIRL_CUDA_DRIVER");
}

} // namespace wisdom_interface_test
} // namespace swirl
