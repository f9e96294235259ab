#include <swirl/version.hpp>

#include "support/forked_child.hpp" // which sanitizers there are
#include "support/run_program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// The installed libraries, as projects that use them find them.
namespace swirl {
namespace install_test {

namespace fs = std::filesystem;
using support::quoted;
using support::run_command;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

const std::string project = SWIRL_SOURCE_DIR "/tests/install/project";
const std::string compilers =
    "-DCMAKE_C_COMPILER=" SWIRL_C_COMPILER " -DCMAKE_CXX_COMPILER=" SWIRL_CXX_COMPILER;

class Installed : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (is_sanitized) return;
        if (const char* installed = std::getenv("SWIRL_TEST_PREFIX")) { // by ctest, once for all tests
            prefix_ = installed;
        } else {
            folder_ = new TemporaryFolder;
            prefix_ = folder_->path() / "prefix";
            std::istringstream components(SWIRL_COMPONENTS_OF_LIBRARIES);
            for (std::string component; components >> component;) {
                const auto outcome =
                    run_command("cmake --install " + quoted(SWIRL_BINARY_DIR) + " --component " + component +
                                " --prefix " + quoted(prefix().string()));
                ASSERT_EQ(outcome.status, 0) << outcome.errors;
            }
        }
        for (const auto& entry : fs::recursive_directory_iterator(prefix()))
            if (entry.path().filename() == "libswirl.so") libraries_ = entry.path().parent_path();
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }
    void SetUp() override {
        if (is_sanitized) GTEST_SKIP() << "sanitizers come with a library of their own";
        ASSERT_FALSE(libraries_.empty()) << "nothing is installed";
    }

    static const fs::path& prefix() { return prefix_; }
    static std::string library(const std::string& name) { return quoted((libraries_ / name).string()); }

    /// Words of a command's output.
    static std::vector<std::string> words(const std::string& command) {
        const auto outcome = run_command(command);
        EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.errors;
        std::istringstream stream(outcome.output);
        std::vector<std::string> result;
        for (std::string word; stream >> word;) result.push_back(word);
        return result;
    }
    static std::set<std::string> set_of_words(const std::string& command) {
        const auto all = words(command);
        return {all.begin(), all.end()};
    }

    /// The name that programs linked with a library look for.
    static std::vector<std::string> name_of(const std::string& name) {
        return words("readelf -d " + library(name) + " | sed -n 's/.*(SONAME).*\\[\\(.*\\)\\]/\\1/p'");
    }

    static void expect_success(const std::string& command) {
        const auto outcome = run_command("export SWIRL_WISDOM=:memory: && " + command);
        EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.output << outcome.errors;
    }
    /// Configures and builds the project in a folder, and runs its programs.
    static void expect_project_works(const std::string& options, std::size_t programs) {
        const TemporaryFolder build;
        const std::string there = quoted(build.path().string());
        expect_success("cmake -G Ninja -S " + quoted(project) + " -B " + there + " " + compilers +
                       " -DCMAKE_PREFIX_PATH=" + quoted(prefix().string()) + " " + options +
                       " && cmake --build " + there);
        std::size_t found = 0;
        for (const auto& entry : fs::directory_iterator(build.path())) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("c_") && !name.starts_with("cpp_")) continue;
            ++found;
            expect_success(quoted(entry.path().string()));
        }
        EXPECT_EQ(found, programs);
    }

    static inline TemporaryFolder* folder_ = nullptr;
    static inline fs::path prefix_, libraries_;
};

TEST_F(Installed, LibrariesNeedLibcLibmAndLibstdcxxAlone) {
    const std::regex allowed(R"(lib(c|m|stdc\+\+|gcc_s|dl|pthread|rt)\.so\.\d+|ld-linux.*)");
    for (const char* name :
         {"libswirl.so", "libswirl_blas.so", "swirl-blas/libblas.so.3", "swirl-fftw/libfftw3.so",
          "swirl-fftw/libfftw3f.so", "swirl-cufft/libcufft.so.12", "swirl-cufft/libcufft.so.11"}) {
        const auto needed =
            words("readelf -d " + library(name) + " | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p'");
        EXPECT_FALSE(needed.empty());
        for (const std::string& each : needed)
            EXPECT_TRUE(std::regex_match(each, allowed)) << name << " needs " << each;
    }
}

TEST_F(Installed, LibraryNamesHaveTheCompatibleVersion) {
    const std::string suffix =
        std::to_string(SWIRL_VERSION_MAJOR) + "." + std::to_string(SWIRL_VERSION_MINOR);
    for (const std::string name : {"libswirl.so", "libswirl_blas.so"})
        EXPECT_EQ(name_of(name), std::vector{name + "." + suffix});
    for (const std::string name : {"libfftw3", "libfftw3f", "libfftw3_threads", "libfftw3f_omp"}) // as FFTW's
        EXPECT_EQ(name_of("swirl-fftw/" + name + ".so"), std::vector{name + ".so.3"});
    for (const std::string name : {"libcufft.so.12", "libcufft.so.11"}) // as CUDA's
        EXPECT_EQ(name_of("swirl-cufft/" + name), std::vector{name});
    EXPECT_EQ(name_of("swirl-cufft/libcufft.so"), std::vector<std::string>{"libcufft.so.12"});
}

TEST_F(Installed, LibraryExportsItsInterfaceAlone) {
    const std::regex exported(
        R"((swirl_|_ZNK?5swirl|_ZT[ISV]N5swirl)\w+@@SWIRL_\d+\.\d+|SWIRL_\d+\.\d+(@@SWIRL_\d+\.\d+)?)");
    const std::regex internal(
        R"(_ZNK?5swirl\d+(formula|rules|ir|target|lower|gemm|passes|emit|jit|sass|runtime|planning|search|blas|fftw)(E|\d).*)");
    const auto names = words("nm -D --defined-only " + library("libswirl.so") + " | awk '{print $NF}'");
    EXPECT_GT(names.size(), 100U);
    for (const std::string& name : names) {
        EXPECT_TRUE(std::regex_match(name, exported)) << name;
        EXPECT_FALSE(std::regex_match(name, internal)) << name;
    }
}

/// So a program may contain another version of what is linked in, and both libraries.
TEST_F(Installed, StaticLibrariesDefineTheNamesThatSharedOnesExport) {
    for (const std::string name :
         {"libswirl", "libswirl_blas", "swirl-fftw/libfftw3", "swirl-fftw/libfftw3f"})
        EXPECT_EQ(set_of_words("nm --extern-only --defined-only " + library(name + ".a") +
                               " | awk 'NF == 3 {print $3}'"),
                  set_of_words("nm -D --defined-only " + library(name + ".so") +
                               " | awk '$2 != \"A\" {print $3}' | sed 's/@.*//'"))
            << name;
}

TEST_F(Installed, CMakePackageServesProjectsInCAndCxx) { expect_project_works("", 7); }

TEST_F(Installed, CMakePackageServesProjectsWithoutCxx) { expect_project_works("-DUSED_LANGUAGES=C", 5); }

TEST_F(Installed, PkgConfigServesSharedAndStaticLibraries) {
    const TemporaryFolder build;
    const std::string prologue = "cd " + quoted(build.path().string()) +
                                 " && export LD_LIBRARY_PATH=" + quoted(libraries_.string()) +
                                 " PKG_CONFIG_PATH=" + quoted((libraries_ / "pkgconfig").string()) + " && ";
    if (run_command("pkg-config --version").status != 0) GTEST_SKIP() << "no pkg-config";
    EXPECT_EQ(words(prologue + "pkg-config --modversion swirl swirl_blas"),
              (std::vector<std::string>{SWIRL_VERSION_STRING, SWIRL_VERSION_STRING}));
    const std::string c = SWIRL_C_COMPILER " -std=c99 -pedantic-errors -Wall -Werror ",
                      cpp = SWIRL_CXX_COMPILER " -std=c++17 -pedantic-errors -Wall -Werror ";
    const std::string shared = " $(pkg-config --cflags --libs swirl) -o program && ./program";
    expect_success(prologue + c + project + "/transform.c" + shared);
    expect_success(prologue + cpp + project + "/transform.cpp" + shared);
    expect_success(prologue + c + project +
                   "/product.c $(pkg-config --cflags --libs swirl_blas) -o program && ./program");
    // Everything static; glibc warns that it cannot open other libraries then.
    const std::string all_static = " $(pkg-config --static --cflags --libs swirl) -o program && ./program";
    expect_success(prologue + c + "-static " + project + "/transform.c" + all_static);
    expect_success(prologue + cpp + "-static " + project + "/transform.cpp" + all_static);
}

TEST_F(Installed, FftwsInterfaceServesProgramsInCCxxAndFortran) {
    const TemporaryFolder build;
    const std::string folder = (libraries_ / "swirl-fftw").string();
    const std::string prologue = "cd " + quoted(build.path().string()) +
                                 " && export LD_LIBRARY_PATH=" + quoted(folder) +
                                 " PKG_CONFIG_PATH=" + quoted(folder + "/pkgconfig") + " && ";
    if (run_command("pkg-config --version").status != 0) GTEST_SKIP() << "no pkg-config";
    const std::string source = project + "/fftw_user.c ",
                      flags = " $(pkg-config --cflags --libs fftw3 fftw3f) -lm -o program && ./program",
                      warnings = " -pedantic-errors -Wall -Werror ";
    expect_success(prologue + SWIRL_C_COMPILER " -std=c99" + warnings + source + flags);
    expect_success(prologue + SWIRL_CXX_COMPILER " -std=c++11 -x c++" + warnings + source + "-x none" +
                   flags);
    expect_success(prologue + SWIRL_C_COMPILER " -std=c99 -static" + warnings + source +
                   " $(pkg-config --static --cflags --libs fftw3 fftw3f) -o program && ./program");
    if (run_command("gfortran --version").status != 0) GTEST_SKIP() << "no Fortran compiler";
    expect_success(prologue + "gfortran " + project + "/fftw_user.f90" + flags);
}

TEST_F(Installed, FortranModuleServesTransformsAndProducts) {
    if (run_command("gfortran --version").status != 0) GTEST_SKIP() << "no Fortran compiler";
    for (const std::string& program :
         {project + "/swirl_user.f90", std::string(SWIRL_SOURCE_DIR "/examples/first.f90")}) {
        const TemporaryFolder build;
        expect_success("cd " + quoted(build.path().string()) +
                       " && gfortran -std=f2018 -Wall -Wextra -Werror " +
                       quoted((prefix() / "include/swirl/swirl.f90").string()) + " " + quoted(program) + " " +
                       library("libswirl.so") +
                       " -o program && LD_LIBRARY_PATH=" + quoted(libraries_.string()) + " ./program");
    }
}

TEST_F(Installed, CufftsInterfaceServesProgramsWithAndWithoutNvidiasHeader) {
    const TemporaryFolder build;
    const std::string folder = (libraries_ / "swirl-cufft").string();
    // Without the driver, so that the answers are the same on every machine.
    const std::string prologue = "cd " + quoted(build.path().string()) +
                                 " && export SWIRL_CUDA_DRIVER=/no/driver LD_LIBRARY_PATH=" + quoted(folder) +
                                 " && ",
                      source = project + "/cufft_user.c ",
                      run = " -o program && ./program | grep -x 'no GPU'";
    const std::string c = SWIRL_C_COMPILER " -std=c99 -pedantic-errors -Wall -Werror ";
    expect_success(prologue + c + source + "-L" + quoted(folder) + " -lcufft" + run);
    expect_success(prologue + c + source + quoted(folder + "/libcufft.so.11") + run);
    const std::string headers = "/usr/local/cuda/include";
    if (!fs::exists(headers + "/cufft.h")) GTEST_SKIP() << "no cufft.h in " << headers;
    const std::string with_header = " -DUSE_NVIDIAS_HEADER -isystem " + headers + " ";
    expect_success(prologue + SWIRL_C_COMPILER " -std=gnu11" + with_header + source + "-L" + quoted(folder) +
                   " -lcufft" + run);
    expect_success(prologue + SWIRL_CXX_COMPILER " -x c++" + with_header + source + "-x none -L" +
                   quoted(folder) + " -lcufft" + run);
}

TEST_F(Installed, AdaptorsToMpiServeProgramsOfTheirMpi) {
    const TemporaryFolder build;
    const std::string environment =
        "cd " + quoted(build.path().string()) + " && export LD_LIBRARY_PATH=" + quoted(libraries_.string()) +
        " OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1"
        " OMPI_MCA_plm=isolated && ";
    for (const std::string mpi : {"openmpi", "mpich"}) {
        if (!fs::exists(libraries_ / ("libswirl_mpi_" + mpi + ".so"))) continue;
        expect_success(environment + "OMPI_CXX=g++ mpicxx." + mpi + " -std=c++20 -Wall -Werror -I" +
                       quoted((prefix() / "include").string()) + " " + project + "/mpi_user.cpp " +
                       library("libswirl_mpi_" + mpi + ".so") + " " + library("libswirl.so") +
                       " -o program && mpirun." + mpi + " -n 3 ./program | grep -x '3 ranks'");
    }
}

TEST_F(Installed, FftwsInterfaceToMpiServesPrograms) {
    for (const std::string mpi : {"openmpi", "mpich"}) {
        const std::string folder = (libraries_ / "swirl-fftw" / mpi).string();
        if (!fs::exists(folder)) continue;
        const TemporaryFolder build;
        const std::string environment =
            "cd " + quoted(build.path().string()) + " && export LD_LIBRARY_PATH=" + quoted(folder) +
            " PKG_CONFIG_PATH=" + quoted(folder + "/pkgconfig") +
            " OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1"
            " OMPI_MCA_plm=isolated && ";
        const std::string flags = " $(pkg-config --cflags --libs fftw3_mpi) -lm -o program",
                          run = " && mpirun." + mpi + " -n 3 ./program | grep -x ";
        if (run_command("pkg-config --version").status != 0) GTEST_SKIP() << "no pkg-config";
        expect_success(environment + "mpicc." + mpi + " -Wall -Werror " + project + "/fftw_mpi_user.c" +
                       flags + run + "'fftw-3.3.10-swirl, right'");
        if (run_command("mpif90." + mpi + " --version").status != 0) continue;
        expect_success(environment + "mpif90." + mpi + " -fallow-argument-mismatch " + project +
                       "/fftw_mpi_user.f90" + flags + run + "right");
    }
}

TEST_F(Installed, BlasWorksInOpenMPRegionsAndAfterFork) {
    const TemporaryFolder build;
    const std::string program = quoted((build.path() / "program").string());
    const std::string compile = SWIRL_C_COMPILER " -fopenmp -o " + program + " " + project +
                                "/openmp_user.c " + library("libswirl_blas.so");
    if (run_command(compile).status != 0) GTEST_SKIP() << "the compiler has no OpenMP";
    expect_success("export SWIRL_NUM_THREADS=2 OMP_NUM_THREADS=3 LD_LIBRARY_PATH=" +
                   quoted(libraries_.string()) + " && timeout 60 " + program);
}

TEST_F(Installed, WholeBlasPassesLevels1And2ToAnotherBlas) {
    const std::string folder = (libraries_ / "swirl-blas").string();
    if (!fs::exists(folder)) GTEST_SKIP() << "not for this processor";
    const TemporaryFolder build;
    const std::string source = project + "/whole_blas_user.c",
                      c = SWIRL_C_COMPILER " -std=c99 -Wall -Werror ";
    const std::string prologue = "cd " + quoted(build.path().string()) + " && ";
    expect_success(prologue + c + "-shared -fPIC -DOTHER_BLAS -o other.so " + source + " && " + c +
                   "-o program " + source + " -L" + quoted(folder) + " -lblas");
    const std::string run = prologue + "LD_LIBRARY_PATH=" + quoted(folder) + " SWIRL_OTHER_BLAS=";
    const auto outcome = run_command(run + "./other.so ./program");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "17 2 3: 23 34 31 46\n");
    for (const std::string missing : {"./other.so ./program missing", "./no.so ./program"}) {
        const auto refused = run_command(run + missing);
        EXPECT_NE(refused.status, 0);
        EXPECT_NE(refused.errors.find("name its file in SWIRL_OTHER_BLAS"), std::string::npos)
            << refused.errors;
    }
}

TEST_F(Installed, LibraryIsUnloadedWhileItSearchesInTheBackground) {
    const TemporaryFolder build;
    const std::string program = quoted((build.path() / "program").string());
    expect_success(SWIRL_C_COMPILER " -std=gnu99 -Wall -Werror -I " +
                   quoted((prefix() / "include").string()) + " -o " + program + " " + project +
                   "/unload_user.c -ldl");
    expect_success("export SWIRL_WISDOM=:memory: && timeout 60 " + program + " " + library("libswirl.so"));
}

TEST_F(Installed, BlasWorksInProcessesOfPythonsMultiprocessing) {
    if (run_command("python3 --version").status != 0) GTEST_SKIP() << "no Python";
    expect_success("export SWIRL_NUM_THREADS=2 && timeout 120 python3 " + project +
                   "/multiprocessing_user.py " + library("libswirl_blas.so"));
}

TEST_F(Installed, VersionIsThatOfTheHeaders) {
    EXPECT_EQ(version(), SWIRL_VERSION_STRING);
    EXPECT_EQ(SWIRL_VERSION,
              SWIRL_VERSION_NUMBER(SWIRL_VERSION_MAJOR, SWIRL_VERSION_MINOR, SWIRL_VERSION_PATCH));
    EXPECT_GT(SWIRL_VERSION_NUMBER(0, 2, 0), SWIRL_VERSION_NUMBER(0, 1, 99));
}

/// A build of the library alone, where none of the packages for the rest is found.
TEST(LibraryAlone, NeedsNeitherTheCommandLineNorPeers) {
    const TemporaryFolder build;
    std::string options;
    for (const char* part : {"CLI", "TESTS", "BENCH", "EXAMPLES"})
        options += std::string(" -DSWIRL_BUILD_") + part + "=OFF";
    for (const char* package : {"CLI11", "GTest", "PkgConfig", "CUDAToolkit", "SQLite3"})
        options += std::string(" -DCMAKE_DISABLE_FIND_PACKAGE_") + package + "=ON";
    const auto outcome = run_command("cmake -G Ninja -S " + quoted(SWIRL_SOURCE_DIR) + " -B " +
                                     quoted(build.path().string()) + " " + compilers + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::string rules = support::content_of(build.path() / "build.ninja");
    EXPECT_NE(rules.find("src/api/"), std::string::npos);
    for (const char* folder : {"/cli/", "/peers/", "/tests/", "/bench/", "/examples/"})
        EXPECT_EQ(rules.find(SWIRL_SOURCE_DIR + std::string(folder)), std::string::npos) << folder;
}

/// A project that has swirl's sources as a part of its own gets the targets of the installed package, and the libraries alone.
TEST(LibraryAlone, IsAPartOfAProjectByFetchContent) {
    const TemporaryFolder build;
    const auto outcome =
        run_command("cmake -G Ninja -S " + quoted(SWIRL_SOURCE_DIR "/tests/install/fetched") + " -B " +
                    quoted(build.path().string()) + " " + compilers);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const std::string rules = support::content_of(build.path() / "build.ninja");
    EXPECT_NE(rules.find("build cpp_transform: "), std::string::npos);
    for (const char* folder : {"/cli/", "/peers/", "/bench/", "/examples/"})
        EXPECT_EQ(rules.find(SWIRL_SOURCE_DIR + std::string(folder)), std::string::npos) << folder;
    // What `ninja` makes: no libraries that the project does not use, and no packages of swirl's.
    const auto made = run_command("ninja -C " + quoted(build.path().string()) + " -t inputs all");
    EXPECT_EQ(made.status, 0) << made.errors;
    EXPECT_NE(made.output.find("libswirl.so"), std::string::npos);
    EXPECT_EQ(made.output.find("libfftw3"), std::string::npos) << made.output;
    EXPECT_FALSE(fs::exists(build.path() / "CPackConfig.cmake"));
}

} // namespace install_test
} // namespace swirl
