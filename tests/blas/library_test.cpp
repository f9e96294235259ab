#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

/// The library's file: what it exports, and programs that it is preloaded into.
namespace swirl::test {
namespace library_test {

/// What a command prints, on either stream; with the status that it ends with.
std::string output_of(const std::string& command, int& status) {
    std::string text;
    FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    char block[4096];
    while (const std::size_t count = fread(block, 1, sizeof block, pipe)) text.append(block, count);
    status = pclose(pipe);
    return text;
}

TEST(BlasLibrary, ExportsNamesOfTheBlasAlone) {
    std::set<std::string> expected = {"RowMajorStrg"};
    for (const std::string letter : {"s", "d", "c", "z"})
        for (const char* routine : {"gemm", "gemmt", "gemmtr", "symm", "hemm", "syrk", "herk", "syr2k",
                                    "her2k", "trmm", "trsm", "gemm_batch", "gemm_batch_strided"}) {
            const std::string name = letter + routine;
            const bool real = letter == "s" || letter == "d";
            if (real && std::string(routine).starts_with("he")) continue;
            expected.merge(
                std::set<std::string>{name + "_", name + "_64_", "cblas_" + name, "cblas_" + name + "_64"});
        }
    int status = 0;
    std::istringstream lines(output_of("nm -D --defined-only " SWIRL_BLAS_LIBRARY, status));
    if (status != 0) GTEST_SKIP() << "no nm";
    std::set<std::string> found;
    for (std::string address, kind, name; lines >> address >> kind >> name;)
        if (!name.starts_with("__odr_asan")) found.insert(name); // AddressSanitizer's mark of an object
    EXPECT_EQ(found, expected);
}

/// Nothing but the library refers to the handlers, so nothing else makes the linker export them.
constexpr const char* program_with_handlers = R"(
#include <stdint.h>
#include <stdio.h>
void xerbla_(const char* name, const int* position, size_t length) { printf("xerbla_ %.*s %d\n", (int)length, name, *position); }
void xerbla_64_(const char* name, const int64_t* position, size_t length) { printf("xerbla_64_ %.*s %d\n", (int)length, name, (int)*position); }
void cblas_xerbla(int position, const char* name, const char* form, ...) { (void)form; printf("cblas_xerbla %s %d\n", name, position); }
void cblas_xerbla_64(int position, const char* name, const char* form, ...) { (void)form; printf("cblas_xerbla_64 %s %d\n", name, position); }
void dgemm_(); void dgemm_64_();
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_dgemm_64(int, int, int, int64_t, int64_t, int64_t, double, const double*, int64_t, const double*, int64_t, double, double*, int64_t);
int main(void) {
    double x[4] = {0}, one = 1;
    int n = 2; int64_t wide = 2;
    dgemm_("/", "N", &n, &n, &n, &one, x, &n, x, &n, &one, x, &n);
    dgemm_64_("/", "N", &wide, &wide, &wide, &one, x, &wide, x, &wide, &one, x, &wide);
    cblas_dgemm(102, 0, 111, 2, 2, 2, 1, x, 2, x, 2, 1, x, 2);
    cblas_dgemm_64(102, 0, 111, 2, 2, 2, 1, x, 2, x, 2, 1, x, 2);
    return 0;
})";

TEST(BlasLibrary, FindsHandlersOfProgramsThatAreLinkedWithIt) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has to be loaded first";
#endif
    const TemporaryFolder folder;
    const std::string source = folder.path() / "program.c", program = folder.path() / "program";
    std::ofstream(source) << program_with_handlers;
    int status = 1;
    const std::string messages = output_of(
        std::string(SWIRL_C_COMPILER " -w -o ") + program + " " + source + " " SWIRL_BLAS_LIBRARY, status);
    ASSERT_EQ(status, 0) << messages;
    EXPECT_EQ(output_of("LD_LIBRARY_PATH=$(dirname " SWIRL_BLAS_LIBRARY ") " + program, status),
              "xerbla_ DGEMM  1\nxerbla_64_ DGEMM  1\ncblas_xerbla cblas_dgemm 2\n"
              "cblas_xerbla_64 cblas_dgemm_64 2\n");
}

constexpr const char* numpy_program = R"(
import numpy
random = numpy.random.default_rng(1)
for kind in (numpy.float32, numpy.float64, numpy.complex64, numpy.complex128):
    a = random.standard_normal((83, 120)).astype(kind); b = random.standard_normal((120, 61)).astype(kind)
    if numpy.iscomplexobj(a): a = a + 1j * a[::-1].astype(kind)
    bound = 1000 * numpy.finfo(kind).eps
    exact = a.astype(numpy.clongdouble) @ b.astype(numpy.clongdouble)
    assert abs(a @ b - exact).max() < bound, kind
    assert abs(a.T.copy().T @ b - exact).max() < bound, kind
    assert abs(a @ a.T - a.astype(numpy.clongdouble) @ a.T.astype(numpy.clongdouble)).max() < bound, kind
    square = a[:, :83] + 20 * numpy.eye(83, dtype=kind)
    assert abs(square @ numpy.linalg.inv(square) - numpy.eye(83)).max() < bound, kind
    assert abs(square @ numpy.linalg.solve(square, b[:83]) - b[:83]).max() < bound, kind
    positive = a @ a.conj().T + 200 * numpy.eye(83, dtype=kind); lower = numpy.linalg.cholesky(positive)
    assert abs(lower @ lower.conj().T - positive).max() < 10 * bound, kind
print('all products right')
)";

TEST(BlasLibrary, ServesNumpyWhenPreloaded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has to be loaded first";
#endif
    int status = 1;
    std::string python, reason;
    for (const char* each : {"python3", "/usr/bin/python3"})
        if (status != 0) {
            python = each;
            reason = output_of(python + " -c 'import numpy'", status);
        }
    if (status != 0) GTEST_SKIP() << "no numpy: " << reason;
    setenv("SWIRL_TEST_PROGRAM", numpy_program, 1);
    const std::string run = python + " -c \"$SWIRL_TEST_PROGRAM\"";
    for (const char* environment : {"", "SWIRL_NO_JIT=1 "}) {
        const std::string text =
            output_of(std::string(environment) + "LD_PRELOAD=" SWIRL_BLAS_LIBRARY " " + run, status);
        EXPECT_EQ(status, 0) << text;
        EXPECT_EQ(text, "all products right\n") << environment;
    }
    const std::string bindings = output_of(
        "LD_DEBUG=bindings LD_PRELOAD=" SWIRL_BLAS_LIBRARY " " + run + " 2>&1 | grep cblas_dgemm", status);
    if (bindings.find("libswirl_blas") == std::string::npos)
        GTEST_SKIP() << "this numpy brings its own BLAS; " << bindings;
}

} // namespace library_test
} // namespace swirl::test
