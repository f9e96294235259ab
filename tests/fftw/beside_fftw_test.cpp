#include "fftw/library.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// The libraries' files: what they export, and life in one process with FFTW itself.
namespace swirl::test {
namespace beside_fftw_test {

/// By its path: the name alone would find swirl's library, once it is loaded.
constexpr const char* fftw_file = SWIRL_FOLDER_OF_FFTW "/libfftw3.so.3";
constexpr const char* fftw_threads_file = SWIRL_FOLDER_OF_FFTW "/libfftw3_threads.so.3";

fftw_complex* pairs(std::vector<double>& numbers) { return reinterpret_cast<fftw_complex*>(numbers.data()); }

std::vector<double> transformed_by(void* library, int n) {
    std::vector<double> x(2 * static_cast<std::size_t>(n)), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<double>(i * i));
    const auto plan_dft = reinterpret_cast<decltype(&fftw_plan_dft_1d)>(symbol(library, "fftw_plan_dft_1d"));
    const auto execute = reinterpret_cast<decltype(&fftw_execute)>(symbol(library, "fftw_execute"));
    const auto destroy = reinterpret_cast<decltype(&fftw_destroy_plan)>(symbol(library, "fftw_destroy_plan"));
    const fftw_plan plan = plan_dft(n, pairs(x), pairs(y), FFTW_FORWARD, FFTW_ESTIMATE);
    if (plan == nullptr) return {};
    execute(plan);
    destroy(plan);
    return y;
}

TEST(BesideFftw, BothLiveInOneProcess) {
    // Before swirl's, and where its own calls would find it.
    void* const fftw = dlopen(fftw_file, RTLD_NOW | RTLD_GLOBAL);
    if (fftw == nullptr) GTEST_SKIP() << dlerror();
    void* const swirl = Precision<double>::library();
    ASSERT_NE(symbol(fftw, "fftw_execute"), symbol(swirl, "fftw_execute"));
    EXPECT_EQ(std::string(static_cast<const char*>(symbol(fftw, "fftw_version"))).find("swirl"),
              std::string::npos);
    for (const int n : {1, 7, 64, 360, 1009}) {
        const std::vector<double> by_fftw = transformed_by(fftw, n), by_swirl = transformed_by(swirl, n);
        ASSERT_EQ(by_fftw.size(), by_swirl.size());
        for (std::size_t i = 0; i < by_fftw.size(); ++i) EXPECT_NEAR(by_fftw[i], by_swirl[i], 1e-11);
    }
    dlclose(fftw);
}

/// FFTW's public names in C and for Fortran, without their prefixes.
struct Names {
    std::set<std::string> c, fortran;
};
Names public_names() {
    Names names;
    for (const std::string kind : {"dft", "dft_r2c", "dft_c2r", "r2r"}) {
        for (const std::string rest : {"", "_1d", "_2d", "_3d"}) names.c.insert("plan_" + kind + rest);
        for (const std::string interface : {"many", "guru", "guru64"})
            names.c.insert("plan_" + interface + "_" + kind);
        names.c.insert("execute_" + kind);
    }
    for (const std::string kind : {"split_dft", "split_dft_r2c", "split_dft_c2r"})
        names.c.merge(std::set<std::string>{"plan_guru_" + kind, "plan_guru64_" + kind, "execute_" + kind});
    names.c.merge(std::set<std::string>{
        "execute", "destroy_plan", "cleanup", "forget_wisdom", "export_wisdom", "import_wisdom",
        "import_system_wisdom", "print_plan", "flops", "estimate_cost", "cost", "set_timelimit",
        "init_threads", "cleanup_threads", "plan_with_nthreads", "planner_nthreads"});
    for (const std::string& name : names.c)
        if (name.find("guru64") == std::string::npos) names.fortran.insert(name);
    names.c.merge(std::set<std::string>{
        "export_wisdom_to_filename", "export_wisdom_to_file", "export_wisdom_to_string",
        "import_wisdom_from_filename", "import_wisdom_from_file", "import_wisdom_from_string", "fprint_plan",
        "sprint_plan", "malloc", "alloc_real", "alloc_complex", "free", "alignment_of",
        "threads_set_callback", "make_planner_thread_safe", "version", "cc", "codelet_optim"});
    return names;
}
std::set<std::string> names_of(const std::string& prefix, const std::string& fortran_prefix) {
    const Names names = public_names();
    std::set<std::string> all;
    for (const std::string& name : names.c) all.insert(prefix + name);
    for (const std::string& name : names.fortran)
        for (const char* underscores : {"_", "__"}) all.insert(fortran_prefix + name + underscores);
    return all;
}

std::set<std::string> exported_names(const char* library) {
    FILE* const pipe = popen(("nm -D --defined-only " + std::string(library)).c_str(), "r");
    std::string text;
    char block[4096];
    while (const std::size_t count = fread(block, 1, sizeof block, pipe)) text.append(block, count);
    pclose(pipe);
    std::set<std::string> names;
    std::istringstream lines(text);
    for (std::string address, kind, name; lines >> address >> kind >> name;) {
        EXPECT_TRUE(kind == "A" || name.find("@@SWIRL_FFTW_3") != std::string::npos ||
                    name.find("__odr_asan") == 0)
            << name << " has no version";
        if (kind != "A" && name.find("__odr_asan") != 0) names.insert(name.substr(0, name.find('@')));
    }
    return names;
}

/// With what libfftw3_mpi needs.
std::set<std::string> with_names_for_mpi(std::set<std::string> names, const std::string& prefix) {
    names.insert({"swirl_" + prefix + "foreign_plan", "swirl_" + prefix + "time_limit"});
    return names;
}

TEST(BesideFftw, LibrariesExportItsPublicNamesAlone) {
    EXPECT_EQ(exported_names(SWIRL_FFTW3_LIBRARY), with_names_for_mpi(names_of("fftw_", "dfftw_"), "fftw_"));
    EXPECT_EQ(exported_names(SWIRL_FFTW3F_LIBRARY),
              with_names_for_mpi(names_of("fftwf_", "sfftw_"), "fftwf_"));
}

TEST(BesideFftw, FftwHasTheseNames) {
    void* const fftw = dlopen(fftw_file, RTLD_NOW | RTLD_GLOBAL);
    if (fftw == nullptr) GTEST_SKIP() << dlerror();
    void* const threads = dlopen(fftw_threads_file, RTLD_LAZY | RTLD_LOCAL);
    if (threads == nullptr) GTEST_SKIP() << dlerror();
    for (const std::string& name : names_of("fftw_", "dfftw_"))
        EXPECT_TRUE(dlsym(fftw, name.c_str()) != nullptr || dlsym(threads, name.c_str()) != nullptr) << name;
    dlclose(threads);
    dlclose(fftw);
}

} // namespace beside_fftw_test
} // namespace swirl::test
