#include "calls.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

/// trmm and trsm, through all interfaces, against the definition.
namespace swirl::test {
namespace triangular_test {

template <class T> class Triangular : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Triangular, ElementTypes);

const std::vector<Index> orders = {0, 1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 63, 65, 100, 130};
const std::vector<Index> others = {0, 1, 3, 17, 64, 140, 300};

template <class T> struct Case {
    const Interface& way;
    char side, uplo, trans, diag;
    Index m, n;
    T alpha;
    Stored<T> a, b, before;

    Case(Random& random, const Interface& interface, char s, char u, char t, char d, Index order, Index other)
        : way(interface),
          side(s),
          uplo(u),
          trans(t),
          diag(d),
          m(s == 'L' ? order : other),
          n(s == 'L' ? other : order),
          alpha(scalar_of<T>(one_of<double>(random, {1, -0.5, 0}), 0)),
          a(random, way.by_rows, order, order),
          b(random, way.by_rows, m, n),
          before(b) {
        // About as large as the sum beside it, so that solutions stay moderate.
        for (Index i = 0; i < order; ++i)
            a.at(i, i) += scalar_of<T>(0.3 * static_cast<double>(order) + 1, 0.2);
        a.keep_triangle(uplo);
        if (diag == 'U')
            for (Index i = 0; i < order; ++i) a.at(i, i) = quiet_nan<T>();
        if (diag == 'U') // or growing without bound, with ones on the diagonal
            a.fill([&](Index i, Index j) {
                return i == j ? a.at(i, j) : a.at(i, j) / scalar_of<T>(static_cast<double>(order), 0);
            });
    }
    void call(const char* routine) {
        call_triangular<T>(way, routine, side, uplo, trans, diag, m, n, alpha, a.data.data(), a.leading,
                           b.data.data(), b.leading);
    }
    Dense matrix() const { return op(trans, triangular(a, uplo, diag)); }
    Dense times(const Dense& matrix, const Dense& x) const {
        return side == 'L' ? product(matrix, x) : product(x, matrix);
    }
    std::string text(const char* routine) const {
        return fmt::format("{} {}{}{}{} {}x{}", way.name_of(routine), side, uplo, trans, diag, m, n);
    }
};

template <class T, class Check> void for_all_cases(unsigned seed, Check&& check) {
    Random random(seed);
    for (const Interface& way : interfaces)
        for (const char side : {'L', 'R'})
            for (const char uplo : {'U', 'L'})
                for (const char trans : {'N', 'T', 'C'})
                    for (const char diag : {'N', 'U'})
                        for (int round = 0; round < 2; ++round)
                            check(Case<T>(random, way, side, uplo, trans, diag, one_of(random, orders),
                                          one_of(random, others)));
}

TYPED_TEST(Triangular, MatricesMultiplyInPlace) {
    using T = TypeParam;
    for_all_cases<T>(7, [](Case<T> x) {
        x.call("trmm");
        const Dense matrix = x.matrix(), y = dense(x.before), nothing(x.m, x.n);
        expect_near(x.b, x.before, combined(wide(x.alpha), x.times(matrix, y), 0, nothing),
                    combined(std::abs(x.alpha), x.times(magnitudes(matrix), magnitudes(y)), 0, nothing),
                    4.0L * static_cast<long double>(matrix.rows + 3), Region::all, x.text("trmm"));
    });
}

/// As any order of substitutions has it: |A·X − α·B| ≤ k·ε·(|A|·|X| + |α·B|) entry by entry.
TYPED_TEST(Triangular, EquationsAreSolvedToTheLastBits) {
    using T = TypeParam;
    for_all_cases<T>(8, [](Case<T> x) {
        x.call("trsm");
        const Dense matrix = x.matrix(), found = dense(x.b), left = x.times(matrix, found);
        const Dense bound = combined(1, x.times(magnitudes(matrix), magnitudes(found)), std::abs(x.alpha),
                                     magnitudes(dense(x.before)));
        const long double allowed = 4.0L * static_cast<long double>(matrix.rows + 3) * epsilon<T>;
        for (Index i = 0; i < x.m; ++i)
            for (Index j = 0; j < x.n; ++j)
                ASSERT_LE(std::abs(left(i, j) - wide(x.alpha) * wide(x.before.at(i, j))),
                          allowed * std::abs(bound(i, j)))
                    << x.text("trsm") << " (" << i << ", " << j << ")";
        Stored<T> rest = x.b;
        rest.fill([&](Index i, Index j) { return x.before.at(i, j); });
        EXPECT_EQ(std::memcmp(rest.data.data(), x.before.data.data(), rest.data.size() * sizeof(T)), 0)
            << x.text("trsm");
    });
}

TYPED_TEST(Triangular, NothingOfTheOtherRowsIsMultipliedByZero) {
    using T = TypeParam;
    Random random(9);
    for (const char uplo : {'U', 'L'})
        for (const char* routine : {"trmm", "trsm"}) {
            Case<T> x(random, interfaces[0], 'L', uplo, 'N', 'N', 100, 20);
            x.alpha = T(1);
            const Index bad = 50;
            for (Index j = 0; j < 20; ++j)
                x.b.at(bad, j) = scalar_of<T>(std::numeric_limits<double>::infinity(), 0);
            x.call(routine);
            for (Index i = 0; i < 100; ++i) {
                const bool reached = uplo == 'L' ? i >= bad : i <= bad;
                EXPECT_EQ(!std::isfinite(std::abs(x.b.at(i, 0))), reached)
                    << routine << ' ' << uplo << " row " << i;
            }
        }
}

TYPED_TEST(Triangular, SingularEquationsHaveInfiniteSolutions) {
    using T = TypeParam;
    Random random(10);
    Case<T> x(random, interfaces[0], 'L', 'L', 'N', 'N', 40, 5);
    x.alpha = T(1);
    x.a.at(20, 20) = T(0);
    x.call("trsm");
    for (Index j = 0; j < 5; ++j) {
        EXPECT_TRUE(std::isfinite(std::abs(x.b.at(19, j))));
        EXPECT_FALSE(std::isfinite(std::abs(x.b.at(20, j))));
    }
}

/// 1 over the smallest values is infinite; dividing by them is exact.
TYPED_TEST(Triangular, DiagonalsMayBeTiny) {
    using T = TypeParam;
    Random random(11);
    Case<T> x(random, interfaces[0], 'L', 'U', 'N', 'N', 10, 3);
    x.alpha = T(1);
    const Real<T> tiny = std::numeric_limits<Real<T>>::denorm_min() * 16;
    x.a.fill([&](Index i, Index j) { return i == j ? T(tiny) : T(0); });
    x.b.fill([&](Index i, Index j) { return T(tiny * static_cast<Real<T>>(1 + i + j)); });
    x.call("trsm");
    for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 3; ++j) EXPECT_EQ(x.b.at(i, j), T(static_cast<Real<T>>(1 + i + j)));
}

/// 1 over the largest values is subnormal: it has fewer digits, and is zero where subnormals are flushed.
TYPED_TEST(Triangular, DiagonalsMayBeHuge) {
    using T = TypeParam;
    using Scalar = Real<T>;
    Random random(12);
    const Scalar huge = std::numeric_limits<Scalar>::max() / 8;
    for (const bool flushed : {false, true})
        for (const Scalar imaginary : {Scalar(0), huge, huge / 1000, Scalar(1)}) {
            Case<T> x(random, interfaces[0], 'L', 'L', 'N', 'N', 10, 3);
            x.alpha = T(1);
            const T of_diagonal = scalar_of<T>(static_cast<double>(huge), static_cast<double>(imaginary));
            x.a.fill([&](Index i, Index j) { return i == j ? of_diagonal : T(0); });
            x.b.fill([&](Index i, Index j) { return of_diagonal / static_cast<Scalar>(1 + i + 2 * j); });
#if defined(__SSE2__)
            const unsigned before = __builtin_ia32_stmxcsr();
            if (flushed) __builtin_ia32_ldmxcsr(before | 0x8040U); // both inputs and results
#endif
            x.call("trsm");
#if defined(__SSE2__)
            __builtin_ia32_ldmxcsr(before);
#endif
            for (Index i = 0; i < 10; ++i)
                for (Index j = 0; j < 3; ++j)
                    EXPECT_NEAR(std::abs(x.b.at(i, j) * static_cast<Scalar>(1 + i + 2 * j) - T(1)), 0,
                                8 * std::numeric_limits<Scalar>::epsilon())
                        << flushed << ' ' << imaginary;
        }
}

} // namespace triangular_test
} // namespace swirl::test
