#include "calls.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

/// symm, hemm, syrk, herk, syr2k and her2k, through all interfaces, against the definition.
namespace swirl::test {
namespace symmetric_test {

template <class T> class Symmetric : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Symmetric, ElementTypes);

const std::vector<Index> orders = {0, 1, 2, 7, 33, 63, 65, 129, 200, 300};
const std::vector<Index> others = {0, 1, 3, 9, 40};
const std::vector<double> factors = {0, 1, -0.75};

template <class T> T scalar(Random& random, bool real) {
    const double x = one_of(random, factors);
    return scalar_of<T>(x, real || x == 1 || x == 0 ? 0 : 0.5);
}
template <class T> void fill_with_nan(Stored<T>& m) {
    m.fill([](Index, Index) { return quiet_nan<T>(); });
}
template <class T> std::vector<bool> kinds() {
    if (is_complex_type<T>) return {false, true};
    return {false};
}
/// Imaginary components that a Hermitian matrix cannot have, so no routine may read them.
template <class T> void spoil_diagonal(Stored<T>& m) {
    for (Index i = 0; i < m.rows; ++i)
        m.at(i, i) = scalar_of<T>(static_cast<double>(wide(m.at(i, i)).real()), std::nan(""));
}
/// Of the dense copy of what was stored before: what a Hermitian update takes it for.
Dense without_imaginary_diagonal(Dense m) {
    for (Index i = 0; i < m.rows; ++i) m(i, i) = m(i, i).real();
    return m;
}

TYPED_TEST(Symmetric, MatricesMultiplyFromBothSides) {
    using T = TypeParam;
    Random random(5);
    for (const Interface& way : interfaces)
        for (const bool hermitian : kinds<T>())
            for (const char side : {'L', 'R'})
                for (const char uplo : {'U', 'L'})
                    for (int round = 0; round < 2; ++round) {
                        const Index order = one_of(random, orders), other = one_of(random, others);
                        const Index m = side == 'L' ? order : other, n = side == 'L' ? other : order;
                        const T alpha = scalar<T>(random, false), beta = scalar<T>(random, false);
                        Stored<T> a(random, way.by_rows, order, order), b(random, way.by_rows, m, n),
                            c(random, way.by_rows, m, n);
                        a.keep_triangle(uplo);
                        if (hermitian) spoil_diagonal(a);
                        if (beta == T(0)) fill_with_nan(c);
                        if (alpha == T(0)) fill_with_nan(a);
                        const Stored<T> before = c;
                        call_symm<T>(way, hermitian ? "hemm" : "symm", side, uplo, m, n, alpha, a.data.data(),
                                     a.leading, b.data.data(), b.leading, beta, c.data.data(), c.leading);
                        const Dense whole = mirrored(a, uplo, hermitian), y = dense(b);
                        const auto times = [&](const Dense& s, const Dense& x) {
                            return side == 'L' ? product(s, x) : product(x, s);
                        };
                        expect_near(c, before,
                                    combined(wide(alpha), times(whole, y), wide(beta), dense(before)),
                                    combined(std::abs(alpha), times(magnitudes(whole), magnitudes(y)),
                                             std::abs(beta), magnitudes(dense(before))),
                                    4.0L * static_cast<long double>(order + 3), Region::all,
                                    fmt::format("{} {}{} {}x{}", way.name_of(hermitian ? "hemm" : "symm"),
                                                side, uplo, m, n));
                    }
}

template <class T>
void expect_update(const Stored<T>& c, const Stored<T>& before, const Dense& sum, const Dense& bound, T beta,
                   bool hermitian, Index k, char uplo, const std::string& what, bool untouched) {
    if (untouched) {
        EXPECT_EQ(std::memcmp(c.data.data(), before.data.data(), c.data.size() * sizeof(T)), 0) << what;
        return;
    }
    const Dense old = hermitian ? without_imaginary_diagonal(dense(before)) : dense(before);
    expect_near(c, before, combined(1, sum, wide(beta), old),
                combined(1, bound, std::abs(beta), magnitudes(old)), 8.0L * static_cast<long double>(k + 3),
                region_of(uplo), what);
    for (Index i = 0; hermitian && i < c.rows; ++i) EXPECT_EQ(wide(c.at(i, i)).imag(), 0) << what;
}

template <class T, class S>
void check_rank_update(Random& random, const Interface& way, bool hermitian, char uplo, char trans) {
    const Index n = one_of(random, orders), k = one_of(random, others);
    const T alpha = scalar<T>(random, hermitian), beta = scalar<T>(random, hermitian);
    Stored<T> a(random, way.by_rows, trans == 'N' ? n : k, trans == 'N' ? k : n),
        c(random, way.by_rows, n, n);
    if (hermitian) spoil_diagonal(c);
    if (beta == T(0)) fill_with_nan(c);
    if (alpha == T(0)) fill_with_nan(a);
    const Stored<T> before = c;
    const char* routine = hermitian ? "herk" : "syrk";
    S alpha_as, beta_as;
    if constexpr (std::is_same_v<S, T>) {
        alpha_as = alpha;
        beta_as = beta;
    } else {
        alpha_as = alpha.real();
        beta_as = beta.real();
    }
    call_syrk<T, S>(way, routine, uplo, trans, n, k, alpha_as, a.data.data(), a.leading, beta_as,
                    c.data.data(), c.leading);
    const Dense x = op(trans, dense(a)), y = op(hermitian ? 'C' : 'T', x);
    const bool untouched = (alpha == T(0) || k == 0) && beta == T(1);
    const Dense xy = product(x, y);
    expect_update(c, before, combined(wide(alpha), xy, 0, xy),
                  combined(std::abs(alpha), product(magnitudes(x), magnitudes(y)), 0, xy), beta, hermitian, k,
                  uplo, fmt::format("{} {}{} {}x{}", way.name_of(routine), uplo, trans, n, k), untouched);
}

template <class T, class S>
void check_double_update(Random& random, const Interface& way, bool hermitian, char uplo, char trans) {
    const Index n = one_of(random, orders), k = one_of(random, others);
    const T alpha = scalar<T>(random, false), beta = scalar<T>(random, hermitian);
    const Index rows = trans == 'N' ? n : k, columns = trans == 'N' ? k : n;
    Stored<T> a(random, way.by_rows, rows, columns), b(random, way.by_rows, rows, columns),
        c(random, way.by_rows, n, n);
    if (hermitian) spoil_diagonal(c);
    if (beta == T(0)) fill_with_nan(c);
    if (alpha == T(0)) fill_with_nan(a);
    const Stored<T> before = c;
    const char* routine = hermitian ? "her2k" : "syr2k";
    S beta_as;
    if constexpr (std::is_same_v<S, T>)
        beta_as = beta;
    else
        beta_as = beta.real();
    call_syr2k<T, S>(way, routine, uplo, trans, n, k, alpha, a.data.data(), a.leading, b.data.data(),
                     b.leading, beta_as, c.data.data(), c.leading);
    const Dense x = op(trans, dense(a)), y = op(trans, dense(b));
    const char adjoint = hermitian ? 'C' : 'T';
    const Wide first = wide(alpha), second = hermitian ? std::conj(first) : first;
    const Dense one = product(x, op(adjoint, y)), two = product(y, op(adjoint, x));
    const Dense sizes = product(magnitudes(x), op('T', magnitudes(y))),
                more = product(magnitudes(y), op('T', magnitudes(x)));
    const bool untouched = (alpha == T(0) || k == 0) && beta == T(1);
    expect_update(c, before, combined(first, one, second, two),
                  combined(std::abs(first), sizes, std::abs(second), more), beta, hermitian, k, uplo,
                  fmt::format("{} {}{} {}x{}", way.name_of(routine), uplo, trans, n, k), untouched);
}

/// Transposes that an update of this kind takes.
template <class T> std::vector<char> update_letters(bool hermitian) {
    if (!is_complex_type<T>) return {'N', 'T', 'C'};
    return hermitian ? std::vector<char>{'N', 'C'} : std::vector<char>{'N', 'T'};
}

TYPED_TEST(Symmetric, UpdatesWriteTheirTriangle) {
    using T = TypeParam;
    Random random(6);
    for (const Interface& way : interfaces)
        for (const bool hermitian : kinds<T>())
            for (const char uplo : {'U', 'L'})
                for (const char trans : update_letters<T>(hermitian))
                    for (int round = 0; round < 2; ++round)
                        if (hermitian) {
                            check_rank_update<T, Real<T>>(random, way, hermitian, uplo, trans);
                            check_double_update<T, Real<T>>(random, way, hermitian, uplo, trans);
                        } else {
                            check_rank_update<T, T>(random, way, hermitian, uplo, trans);
                            check_double_update<T, T>(random, way, hermitian, uplo, trans);
                        }
}

} // namespace symmetric_test
} // namespace swirl::test
