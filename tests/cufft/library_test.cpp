#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

/// The libraries' files: what they export.
namespace swirl::cufft {
namespace library_test {

std::set<std::string> exported_names(const std::string& library, const std::string& version) {
    std::istringstream lines(support::run_command("nm -D --defined-only " + library).output);
    std::set<std::string> names;
    for (std::string address, kind, name; lines >> address >> kind >> name;) {
        if (kind == "A" || name.find("__odr_asan") == 0) continue;
        EXPECT_EQ(name.substr(name.find('@')), "@@" + version) << name;
        names.insert(name.substr(0, name.find('@')));
    }
    return names;
}

const std::set<std::string> names = {"cufftCreate",
                                     "cufftDestroy",
                                     "cufftEstimate1d",
                                     "cufftEstimate2d",
                                     "cufftEstimate3d",
                                     "cufftEstimateMany",
                                     "cufftExecC2C",
                                     "cufftExecC2R",
                                     "cufftExecD2Z",
                                     "cufftExecR2C",
                                     "cufftExecZ2D",
                                     "cufftExecZ2Z",
                                     "cufftGetPlanPropertyInt64",
                                     "cufftGetProperty",
                                     "cufftGetSize",
                                     "cufftGetSize1d",
                                     "cufftGetSize2d",
                                     "cufftGetSize3d",
                                     "cufftGetSizeMany",
                                     "cufftGetSizeMany64",
                                     "cufftGetVersion",
                                     "cufftMakePlan1d",
                                     "cufftMakePlan2d",
                                     "cufftMakePlan3d",
                                     "cufftMakePlanMany",
                                     "cufftMakePlanMany64",
                                     "cufftPlan1d",
                                     "cufftPlan2d",
                                     "cufftPlan3d",
                                     "cufftPlanMany",
                                     "cufftResetPlanProperty",
                                     "cufftSetAutoAllocation",
                                     "cufftSetPlanPropertyInt64",
                                     "cufftSetStream",
                                     "cufftSetWorkArea",
                                     "cufftXtClearCallback",
                                     "cufftXtExec",
                                     "cufftXtExecDescriptor",
                                     "cufftXtExecDescriptorC2C",
                                     "cufftXtExecDescriptorC2R",
                                     "cufftXtExecDescriptorD2Z",
                                     "cufftXtExecDescriptorR2C",
                                     "cufftXtExecDescriptorZ2D",
                                     "cufftXtExecDescriptorZ2Z",
                                     "cufftXtFree",
                                     "cufftXtGetSizeMany",
                                     "cufftXtMakePlanMany",
                                     "cufftXtMalloc",
                                     "cufftXtMemcpy",
                                     "cufftXtQueryPlan",
                                     "cufftXtSetCallback",
                                     "cufftXtSetCallbackSharedSize",
                                     "cufftXtSetGPUs",
                                     "cufftXtSetJITCallback",
                                     "cufftXtSetWorkArea",
                                     "cufftXtSetWorkAreaPolicy"};

TEST(CufftLibraries, ExportItsDocumentedNamesAlone) {
    EXPECT_EQ(exported_names(SWIRL_CUFFT12_LIBRARY, "libcufft.so.12"), names);
    auto of_11 = names;
    of_11.insert("__cufftXtSetJITCallback_12_7");
    EXPECT_EQ(exported_names(SWIRL_CUFFT11_LIBRARY, "libcufft.so.11"), of_11);
}

TEST(CufftLibraries, HaveWhatNvidiasHeadersDeclare) {
    std::set<std::string> declared;
    for (const char* header : {"/usr/local/cuda/include/cufft.h", "/usr/local/cuda/include/cufftXt.h"}) {
        std::ifstream file(header);
        if (!file) GTEST_SKIP() << header << " is not installed";
        const std::string text(std::istreambuf_iterator<char>(file), {});
        const std::regex function(R"(cufftResult CUFFTAPI (\w+)\()");
        for (std::sregex_iterator match(text.begin(), text.end(), function); match != std::sregex_iterator();
             ++match)
            declared.insert((*match)[1]);
    }
    EXPECT_EQ(declared, names);
}

TEST(CufftLibraries, ReportTheVersionOfTheirName) {
    for (const auto& [file, expected] :
         {std::pair{SWIRL_CUFFT12_LIBRARY, 12000}, std::pair{SWIRL_CUFFT11_LIBRARY, 11401}}) {
        void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        int version = 0, major = 0, minor = -1;
        const auto get_version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cufftGetVersion"));
        const auto get_property = reinterpret_cast<int (*)(int, int*)>(dlsym(library, "cufftGetProperty"));
        EXPECT_EQ(get_version(&version), 0);
        EXPECT_EQ(get_property(0, &major), 0);
        EXPECT_EQ(get_property(1, &minor), 0);
        EXPECT_NE(get_property(3, &minor), 0);
        EXPECT_EQ(version, expected);
        EXPECT_EQ(major, expected / 1000);
        EXPECT_EQ(minor, expected / 100 % 10);
    }
}

} // namespace library_test
} // namespace swirl::cufft
