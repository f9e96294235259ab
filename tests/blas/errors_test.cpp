#include "calls.hpp"

#include <gtest/gtest.h>

#include <cstdarg>
#include <utility>
#include <vector>

/// Which argument is reported as wrong, to whom. This program has handlers, as programs that call a BLAS may.
namespace {

struct Report {
    std::string routine;
    long long position;
    std::string handler;
    int row_major = 0;
    bool operator==(const Report&) const = default;
};
std::vector<Report> reports;

std::ostream& operator<<(std::ostream& out, const Report& report) {
    return out << report.handler << " of '" << report.routine << "', " << report.position << ", rows "
               << report.row_major;
}

} // namespace

extern "C" {
[[gnu::visibility("default")]] void xerbla_(const char* routine, const int* position, std::size_t length) {
    reports.push_back({std::string(routine, length), *position, "xerbla_"});
}
[[gnu::visibility("default")]] void xerbla_64_(const char* routine, const std::int64_t* position,
                                               std::size_t length) {
    reports.push_back({std::string(routine, length), *position, "xerbla_64_"});
}
[[gnu::visibility("default")]] void cblas_xerbla(int position, const char* routine, const char*, ...) {
    const int* const row_major = static_cast<int*>(swirl::test::blas_symbol("RowMajorStrg"));
    reports.push_back({routine, position, "cblas_xerbla", *row_major});
}
}

namespace swirl::test {
namespace {

constexpr Interface fortran{}, wide_fortran{.wide = true}, by_columns{.c = true},
    by_rows{.c = true, .by_rows = true};

Report only_report() {
    const std::vector<Report> found = std::exchange(reports, {});
    if (found.size() != 1) return {"none, or several", static_cast<long long>(found.size()), ""};
    return found.front();
}

/// A call whose arguments are all right but for one.
struct GemmCall {
    char ta = 'N', tb = 'T';
    std::int64_t m = 3, n = 4, k = 5, lda = 3, ldb = 4, ldc = 3;

    Report through(const Interface& way) const {
        std::vector<double> a(100, 1), b(100, 1), c(100, 7);
        call_gemm<double>(way, ta, tb, m, n, k, 1, a.data(), lda, b.data(), ldb, 0, c.data(), ldc);
        EXPECT_EQ(c, std::vector<double>(100, 7)) << "a refused call wrote something";
        return only_report();
    }
};

const std::pair<GemmCall, int> wrong_gemms[] = {
    {{.ta = '/'}, 1},
    {{.tb = '/'}, 2},
    {{.m = -1}, 3},
    {{.n = -1}, 4},
    {{.k = -1}, 5},
    {{.lda = 2}, 8},
    {{.ldb = 3}, 10},
    {{.ldc = 2}, 13},
    {{.ta = 'T', .lda = 4}, 8},
    {{.tb = 'N', .ldb = 4}, 10},
    {{.m = 0, .lda = 0, .ldc = 1}, 8},
    {{.m = -1, .n = -1}, 3},
};

TEST(WrongArguments, OfFortranAreCountedFromOne) {
    for (const auto& [gemm, position] : wrong_gemms) {
        EXPECT_EQ(gemm.through(fortran), (Report{"DGEMM ", position, "xerbla_"}));
        EXPECT_EQ(gemm.through(wide_fortran), (Report{"DGEMM ", position, "xerbla_64_"}));
    }
}

TEST(WrongArguments, OfCAreCountedWithTheLayout) {
    for (const auto& [gemm, position] : wrong_gemms)
        if (position > 2) {
            EXPECT_EQ(gemm.through(by_columns), (Report{"cblas_dgemm", position + 1, "cblas_xerbla"}));
        }
}

/// Handlers of CBLAS undo what the call by columns exchanged, so they are told its positions.
TEST(WrongArguments, RowMajorCallsReportTheSamePositions) {
    const GemmCall right{.lda = 5, .ldb = 5, .ldc = 4};
    const auto with = [&](auto member, std::int64_t value) {
        GemmCall call = right;
        call.*member = value;
        return call.through(by_rows);
    };
    EXPECT_EQ(with(&GemmCall::m, -1), (Report{"cblas_dgemm", 5, "cblas_xerbla", 1}));
    EXPECT_EQ(with(&GemmCall::n, -1), (Report{"cblas_dgemm", 4, "cblas_xerbla", 1}));
    EXPECT_EQ(with(&GemmCall::lda, 4), (Report{"cblas_dgemm", 11, "cblas_xerbla", 1}));
    EXPECT_EQ(with(&GemmCall::ldb, 4), (Report{"cblas_dgemm", 9, "cblas_xerbla", 1}));
    EXPECT_EQ(with(&GemmCall::ldc, 3), (Report{"cblas_dgemm", 14, "cblas_xerbla", 1}));
}

TEST(WrongArguments, LettersMayBeSmall) {
    std::vector<double> a(100, 1), b(100, 1), c(100, 7);
    call_gemm<double>(fortran, 'n', 't', 3, 4, 5, 1, a.data(), 3, b.data(), 4, 0, c.data(), 3);
    EXPECT_TRUE(reports.empty());
    EXPECT_EQ(c[0], 5);
}

TEST(WrongArguments, EnumeratorsOfC) {
    double x[16] = {};
    const auto gemm = [&](int layout, int ta, int tb) {
        call(by_columns, "dgemm", layout, ta, tb, 2, 2, 2, 1.0, &x[0], 2, &x[0], 2, 0.0, &x[8], 2);
        return only_report();
    };
    EXPECT_EQ(gemm(0, 111, 111), (Report{"cblas_dgemm", 1, "cblas_xerbla"}));
    EXPECT_EQ(gemm(102, 0, 111), (Report{"cblas_dgemm", 2, "cblas_xerbla"}));
    EXPECT_EQ(gemm(102, 111, 'N'), (Report{"cblas_dgemm", 3, "cblas_xerbla"}));
    EXPECT_EQ(gemm(101, 111, 0), (Report{"cblas_dgemm", 3, "cblas_xerbla", 1}));
    call(by_columns, "dtrsm", 102, 141, 121, 111, 0, 2, 2, 1.0, &x[0], 2, &x[8], 2);
    EXPECT_EQ(only_report(), (Report{"cblas_dtrsm", 5, "cblas_xerbla"}));
    call({.c = true, .wide = true}, "dsyrk", 102, 0, 111, std::int64_t{2}, std::int64_t{2}, 1.0, &x[0],
         std::int64_t{2}, 1.0, &x[8], std::int64_t{2});
    EXPECT_EQ(only_report(), (Report{"cblas_dsyrk_64", 2, "cblas_xerbla"}));
}

/// The other routines, each argument once: positions of the reference implementation.
TEST(WrongArguments, OfTheOtherRoutines) {
    std::vector<double> a(100, 1), b(100, 1), c(100, 1);
    const auto symm = [&](char side, char uplo, int m, int n, int lda, int ldb, int ldc) {
        call_symm<double>(fortran, "symm", side, uplo, m, n, 1, a.data(), lda, b.data(), ldb, 1, c.data(),
                          ldc);
        return only_report().position;
    };
    EXPECT_EQ(symm('/', 'U', 2, 3, 2, 2, 2), 1);
    EXPECT_EQ(symm('L', '/', 2, 3, 2, 2, 2), 2);
    EXPECT_EQ(symm('L', 'U', -1, 3, 2, 2, 2), 3);
    EXPECT_EQ(symm('L', 'U', 2, -1, 2, 2, 2), 4);
    EXPECT_EQ(symm('L', 'U', 2, 3, 1, 2, 2), 7);
    EXPECT_EQ(symm('R', 'U', 2, 3, 2, 2, 2), 7);
    EXPECT_EQ(symm('L', 'U', 2, 3, 2, 1, 2), 9);
    EXPECT_EQ(symm('L', 'U', 2, 3, 2, 2, 1), 12);
    const auto syrk = [&](char uplo, char trans, int n, int k, int lda, int ldc) {
        call_syrk<double, double>(fortran, "syrk", uplo, trans, n, k, 1, a.data(), lda, 1, c.data(), ldc);
        return only_report().position;
    };
    EXPECT_EQ(syrk('/', 'N', 2, 3, 2, 2), 1);
    EXPECT_EQ(syrk('U', '/', 2, 3, 2, 2), 2);
    EXPECT_EQ(syrk('U', 'N', -1, 3, 2, 2), 3);
    EXPECT_EQ(syrk('U', 'N', 2, -1, 2, 2), 4);
    EXPECT_EQ(syrk('U', 'N', 2, 3, 1, 2), 7);
    EXPECT_EQ(syrk('U', 'T', 2, 3, 2, 2), 7);
    EXPECT_EQ(syrk('U', 'N', 2, 3, 2, 1), 10);
    const auto syr2k = [&](char uplo, int lda, int ldb, int ldc) {
        call_syr2k<double, double>(fortran, "syr2k", uplo, 'N', 2, 3, 1, a.data(), lda, b.data(), ldb, 1,
                                   c.data(), ldc);
        return only_report().position;
    };
    EXPECT_EQ(syr2k('/', 2, 2, 2), 1);
    EXPECT_EQ(syr2k('U', 1, 2, 2), 7);
    EXPECT_EQ(syr2k('U', 2, 1, 2), 9);
    EXPECT_EQ(syr2k('U', 2, 2, 1), 12);
    for (const char* routine : {"trmm", "trsm"}) {
        const auto triangular = [&](char side, char uplo, char trans, char diag, int m, int n, int lda,
                                    int ldb) {
            call_triangular<double>(fortran, routine, side, uplo, trans, diag, m, n, 1, a.data(), lda,
                                    b.data(), ldb);
            return only_report().position;
        };
        EXPECT_EQ(triangular('/', 'U', 'N', 'N', 2, 3, 2, 2), 1);
        EXPECT_EQ(triangular('L', '/', 'N', 'N', 2, 3, 2, 2), 2);
        EXPECT_EQ(triangular('L', 'U', '/', 'N', 2, 3, 2, 2), 3);
        EXPECT_EQ(triangular('L', 'U', 'N', '/', 2, 3, 2, 2), 4);
        EXPECT_EQ(triangular('L', 'U', 'N', 'N', -1, 3, 2, 2), 5);
        EXPECT_EQ(triangular('L', 'U', 'N', 'N', 2, -1, 2, 2), 6);
        EXPECT_EQ(triangular('L', 'U', 'N', 'N', 2, 3, 1, 2), 9);
        EXPECT_EQ(triangular('R', 'U', 'N', 'N', 2, 3, 2, 2), 9);
        EXPECT_EQ(triangular('L', 'U', 'N', 'N', 2, 3, 2, 1), 11);
    }
    call_gemmt<double>(fortran, "gemmt", '/', 'N', 'N', 2, 3, 1, a.data(), 2, b.data(), 3, 1, c.data(), 2);
    EXPECT_EQ(only_report(), (Report{"DGEMMT", 1, "xerbla_"}));
    call_gemmt<double>(fortran, "gemmt", 'U', 'N', 'N', 2, 3, 1, a.data(), 2, b.data(), 2, 1, c.data(), 2);
    EXPECT_EQ(only_report(), (Report{"DGEMMT", 10, "xerbla_"}));
}

TEST(WrongArguments, ComplexUpdatesTakeTheirOwnTransposeAlone) {
    using Complex = std::complex<double>;
    std::vector<Complex> a(100), c(100);
    call_syrk<Complex, Complex>(fortran, "syrk", 'U', 'C', 2, 2, 1, a.data(), 2, 1, c.data(), 2);
    EXPECT_EQ(only_report(), (Report{"ZSYRK ", 2, "xerbla_"}));
    call_syrk<Complex, double>(fortran, "herk", 'U', 'T', 2, 2, 1, a.data(), 2, 1, c.data(), 2);
    EXPECT_EQ(only_report(), (Report{"ZHERK ", 2, "xerbla_"}));
    for (const Interface& way : {by_columns, by_rows}) {
        call_syrk<Complex, double>(way, "herk", 'U', 'T', 2, 2, 1, a.data(), 2, 1, c.data(), 2);
        EXPECT_EQ(only_report(), (Report{"cblas_zherk", 3, "cblas_xerbla", way.by_rows}));
    }
}

TEST(WrongArguments, OfBatches) {
    double x[64] = {};
    const char letter = 'N';
    const int two = 2, one = 1, minus = -1;
    const double scalar = 1;
    const auto strided = [&](const int* lda, const int* ldb, const int* ldc, const int* size) {
        call(fortran, "dgemm_batch_strided", &letter, &letter, &two, &two, &two, &scalar, &x[0], lda, &two,
             &x[0], ldb, &two, &scalar, &x[32], ldc, &two, size);
        return only_report();
    };
    EXPECT_EQ(strided(&one, &two, &two, &two), (Report{"DGEMM_BATCH_STRIDED", 8, "xerbla_"}));
    EXPECT_EQ(strided(&two, &one, &two, &two), (Report{"DGEMM_BATCH_STRIDED", 11, "xerbla_"}));
    EXPECT_EQ(strided(&two, &two, &one, &two), (Report{"DGEMM_BATCH_STRIDED", 15, "xerbla_"}));
    EXPECT_EQ(strided(&two, &two, &two, &minus), (Report{"DGEMM_BATCH_STRIDED", 17, "xerbla_"}));
    const double *a = x, *b = x;
    double* c = &x[32];
    call(fortran, "dgemm_batch", &letter, &letter, &two, &two, &two, &scalar, &a, &one, &b, &two, &scalar, &c,
         &two, &one, &one);
    EXPECT_EQ(only_report(), (Report{"DGEMM_BATCH", 8, "xerbla_"}));
    call(fortran, "dgemm_batch", &letter, &letter, &two, &two, &two, &scalar, &a, &two, &b, &two, &scalar, &c,
         &two, &minus, &one);
    EXPECT_EQ(only_report(), (Report{"DGEMM_BATCH", 14, "xerbla_"}));
}

} // namespace
} // namespace swirl::test
