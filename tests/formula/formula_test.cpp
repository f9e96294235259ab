#include "formula/formula.hpp"
#include "formula/chirp_z.hpp"
#include "formula/roots_of_unity.hpp"

#include "formula/reference.hpp"

#include <random>
#include <tuple>
#include <vector>

namespace swirl::formula {
namespace formula_test {

constexpr long double pi = std::numbers::pi_v<long double>;

reference::Dense real(Integer n, long double (*entry)(long double n, long double k, long double j)) {
    return reference::from(n, n, [&](Integer k, Integer j) {
        return Complex(
            entry(static_cast<long double>(n), static_cast<long double>(k), static_cast<long double>(j)));
    });
}

TEST(Transforms, AreTheirDefinitions) {
    using LD = long double;
    for (const Integer n : {1, 2, 3, 4, 7, 8, 12}) {
        EXPECT_SAME_MATRIX(reference::of(DFT(n)), reference::dft(n, -1));
        EXPECT_SAME_MATRIX(reference::of(DFT(n, Direction::backward)), reference::dft(n, 1));
        if (n > 1) {
            EXPECT_SAME_MATRIX(reference::of(DCT(1, n)), real(n, [](LD m, LD k, LD j) {
                                   return (j == 0 || j == m - 1 ? 1 : 2) * std::cos(pi * j * k / (m - 1));
                               }));
        }
        EXPECT_SAME_MATRIX(reference::of(DST(1, n)), real(n, [](LD m, LD k, LD j) {
                               return 2 * std::sin(pi * (j + 1) * (k + 1) / (m + 1));
                           }));
        EXPECT_SAME_MATRIX(reference::of(DHT(n)), real(n, [](LD m, LD k, LD j) {
                               return std::cos(2 * pi * j * k / m) + std::sin(2 * pi * j * k / m);
                           }));
        EXPECT_SAME_MATRIX(reference::of(DCT(2, n)),
                           real(n, [](LD m, LD k, LD j) { return 2 * std::cos(pi * (j + 0.5L) * k / m); }));
        EXPECT_SAME_MATRIX(reference::of(DCT(3, n)), real(n, [](LD m, LD k, LD j) {
                               return j == 0 ? 1 : 2 * std::cos(pi * j * (k + 0.5L) / m);
                           }));
        EXPECT_SAME_MATRIX(reference::of(DCT(4, n)), real(n, [](LD m, LD k, LD j) {
                               return 2 * std::cos(pi * (j + 0.5L) * (k + 0.5L) / m);
                           }));
        EXPECT_SAME_MATRIX(reference::of(DST(2, n)), real(n, [](LD m, LD k, LD j) {
                               return 2 * std::sin(pi * (j + 0.5L) * (k + 1) / m);
                           }));
        EXPECT_SAME_MATRIX(reference::of(DST(3, n)), real(n, [](LD m, LD k, LD j) {
                               const LD value = 2 * std::sin(pi * (j + 1) * (k + 0.5L) / m);
                               return j == m - 1 ? value / 2 : value;
                           }));
        EXPECT_SAME_MATRIX(reference::of(DST(4, n)), real(n, [](LD m, LD k, LD j) {
                               return 2 * std::sin(pi * (j + 0.5L) * (k + 0.5L) / m);
                           }));
    }
}

TEST(Transforms, OfAChirpAreSpectraAtAnyFrequencies) {
    for (const auto& [n, m, start, step] :
         std::vector<std::tuple<Integer, Integer, long double, long double>>{
             {5, 8, 0, 0.125L}, {8, 8, 0.1L, -0.01L}, {12, 3, -3.7L, 2.3L}, {1, 4, 0.5L, 0.25L}}) {
        const reference::Dense matrix = reference::of(CZT(n, m, start, step));
        ASSERT_EQ(matrix.rows, m);
        for (Integer k = 0; k < m; ++k)
            for (Integer j = 0; j < n; ++j) {
                const long double turns =
                    static_cast<long double>(j) * (start + static_cast<long double>(k) * step);
                EXPECT_LT(std::abs(matrix.at(k, j) - std::polar(1.0L, -2 * pi * turns)), 1e-16L);
            }
    }
    EXPECT_SAME_MATRIX(reference::of(CZT(16, 16, 0, 1.0L / 16)), reference::of(DFT(16)));
}

TEST(Transforms, OfAChirpReducePhasesExactly) {
    // step = 2^−40 and j·k = 2^40·q + r: the phase is r·2^−40.
    const Formula transform = CZT(Integer{1} << 30, Integer{1} << 30, 0, std::ldexp(1.0L, -40));
    const Integer j = (Integer{1} << 30) - 1, k = (Integer{1} << 29) + 12345;
    const auto rest = static_cast<long double>(j * k % (Integer{1} << 40));
    const Complex expected = std::polar(1.0L, -2 * pi * std::ldexp(rest, -40));
    EXPECT_LT(std::abs(chirp_z_entry(*transform.get_if<ChirpZ>(), k, j) - expected), 4e-19L);
}

TEST(Transforms, OfOverlappingWindowsAreTheirDefinitions) {
    for (const Integer n : {2, 4, 6, 16}) {
        const auto length = static_cast<long double>(n);
        const reference::Dense forward = reference::of(MDCT(n));
        ASSERT_EQ(forward.rows, n);
        ASSERT_EQ(forward.columns, 2 * n);
        for (Integer k = 0; k < n; ++k)
            for (Integer j = 0; j < 2 * n; ++j)
                EXPECT_LT(
                    std::abs(forward.at(k, j) -
                             2 * std::cos(pi / length * (static_cast<long double>(j) + 0.5L + length / 2) *
                                          (static_cast<long double>(k) + 0.5L))),
                    1e-16L);
        EXPECT_SAME_MATRIX(reference::of(IMDCT(n)), reference::transpose(forward));
    }
    EXPECT_THROW(MDCT(5), InternalError);
}

TEST(Transforms, WalshHadamardIsAKroneckerPowerOfTheButterfly) {
    reference::Dense power = reference::identity(1);
    for (Integer n = 1; n <= 32; n *= 2, power = reference::kron(power, reference::of(F2())))
        EXPECT_SAME_MATRIX(reference::of(WHT(n)), power);
}

TEST(RealDft, EqualsHalfTheComplexDftAndIsInverted) {
    for (const Integer n : {1, 2, 3, 4, 5, 8, 9}) {
        const reference::Dense forward = reference::of(RDFT(n)), complex = reference::dft(n, -1);
        for (Integer j = 0; j < n; ++j)
            for (Integer k = 0; k < n; ++k)
                EXPECT_LT(std::abs(forward.at(k, j) -
                                   (2 * k <= n ? complex.at(k, j).real() : complex.at(n - k, j).imag())),
                          1e-17L);
        reference::Dense scaled = reference::identity(n);
        for (Complex& entry : scaled.entries) entry *= static_cast<long double>(n);
        EXPECT_SAME_MATRIX(reference::multiply(reference::of(RDFT(n, Direction::backward)), forward), scaled);
    }
}

TEST(Circulant, ConvolvesCyclically) {
    const std::vector<Complex> h{1, {2, 3}, -4};
    EXPECT_SAME_MATRIX(reference::of(circulant(h)),
                       (reference::Dense{3, 3, {h[0], h[2], h[1], h[1], h[0], h[2], h[2], h[1], h[0]}}));
}

TEST(RootsOfUnity, TablesEqualDirectComputation) {
    for (const Integer order : {1, 2, 7, 1024, 1031, 65536, 100000})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            const RootsOfUnity roots(order, direction);
            for (Integer k = 0; k < order; k += 1 + order / 777)
                EXPECT_LT(std::abs(roots(k) - root_of_unity(order, k, direction)),
                          4 * std::numeric_limits<long double>::epsilon())
                    << order << " " << k;
        }
}

TEST(RootsOfUnity, AreExactOnAxesAndDiagonalsAndSymmetric) {
    for (const Integer n : {8, 24, 1000, 1 << 20}) {
        EXPECT_EQ(root_of_unity(n, 0, Direction::forward), Complex(1, 0));
        EXPECT_EQ(root_of_unity(n, n / 4, Direction::forward), Complex(0, -1));
        EXPECT_EQ(root_of_unity(n, n / 2, Direction::forward), Complex(-1, 0));
        EXPECT_EQ(root_of_unity(n, 3 * n / 4, Direction::forward), Complex(0, 1));
        const Complex diagonal = root_of_unity(n, n / 8, Direction::forward);
        EXPECT_LE(std::abs(diagonal.real() + diagonal.imag()), 1e-19L);
        for (const Integer k : {Integer{1}, n / 7, n / 3}) {
            const Complex w = root_of_unity(n, k, Direction::forward);
            EXPECT_EQ(root_of_unity(n, n - k, Direction::forward), std::conj(w));
            EXPECT_EQ(root_of_unity(n, k, Direction::backward), std::conj(w));
            EXPECT_EQ(root_of_unity(n, k + 5 * n, Direction::forward), w);
            EXPECT_LT(std::abs(std::norm(w) - 1), 3e-19L);
        }
    }
    const Integer huge = (Integer{1} << 61) + 1;
    EXPECT_LT(std::abs(root_of_unity(huge, huge - 1, Direction::forward).imag() -
                       2 * pi / static_cast<long double>(huge)),
              1e-36L);
}

TEST(Diagonals, TwiddlesAreTheTutorialsEquation4) {
    const Integer m = 3, n = 4;
    const std::vector<Complex> values = dense(T(m * n, n));
    for (Integer j = 0; j < m; ++j)
        for (Integer k = 0; k < n; ++k) {
            const auto i = static_cast<std::size_t>(j * n + k);
            EXPECT_EQ(values[i * 12 + i], root_of_unity(m * n, j * k, Direction::forward));
        }
}

TEST(Diagonals, ChirpHasAQuadraticExponentOfAnySize) {
    const ChirpFunction chirp{7, Direction::forward};
    for (Integer i = 0; i < 20; ++i)
        EXPECT_LT(std::abs(diagonal_value(chirp, i) -
                           std::polar(1.0L, -pi * static_cast<long double>(i * i % 14) / 7)),
                  1e-18L);
    // 10¹² ≡ 1 modulo 14 for 10⁶ · 10⁶ ≡ (10⁶ mod 14)²; the square of 4·10⁹ + 1 does not fit 63 bits
    EXPECT_EQ(diagonal_value(chirp, 4000000002), diagonal_value(chirp, 4000000002 % 14));
}

TEST(CompoundTerms, MeanWhatTheirOperatorsSay) {
    const Formula a = matrix(2, 3, {1, {0, 2}, 3, 4, 5, {6, -1}}), b = DFT(3), c = matrix(1, 2, {{2, 1}, -1});
    const reference::Dense da = reference::of(a), db = reference::of(b), dc = reference::of(c);
    EXPECT_SAME_MATRIX(reference::of(a * b), reference::multiply(da, db));
    EXPECT_SAME_MATRIX(reference::of(kron(a, b)), reference::kron(da, db));
    EXPECT_SAME_MATRIX(reference::of(kron(kron(a, b), c)), reference::kron(reference::kron(da, db), dc));
    EXPECT_SAME_MATRIX(reference::of(direct_sum(direct_sum(a, b), c)),
                       reference::direct_sum(reference::direct_sum(da, db), dc));
    EXPECT_SAME_MATRIX(reference::of(kron({I(2), direct_sum(a, c), I(3)})),
                       reference::kron(reference::identity(2), reference::kron(reference::direct_sum(da, dc),
                                                                               reference::identity(3))));
    EXPECT_SAME_MATRIX(reference::of(pass(a)), da);
    const reference::Dense real = reference::of(kron({I(2), real_of(a), I(3)}));
    const reference::Dense block = reference::from(4, 6, [&](Integer i, Integer j) {
        const Complex entry = da.at(i / 2, j / 2);
        return Complex(i % 2 == j % 2 ? entry.real() : i % 2 == 0 ? -entry.imag() : entry.imag());
    });
    EXPECT_SAME_MATRIX(
        real, reference::kron(reference::identity(2), reference::kron(block, reference::identity(3))));
    const reference::Dense real_of_complex =
        reference::multiply(reference::of(real_of(a)), reference::of(DFT(6)));
    EXPECT_SAME_MATRIX(reference::of(real_of(a) * DFT(6)), real_of_complex);
}

TEST(IterativeSums, OfGatheredAndScatteredBlocksAreKroneckerProducts) {
    const Formula a = matrix(2, 3, {1, 2, 3, {4, 1}, 5, 6});
    const auto rows = [](const Affine& base, Integer stride) {
        return scatter(IndexMap::strided(2, 8, base, stride));
    };
    const auto columns = [](const Affine& base, Integer stride) {
        return gather(IndexMap::strided(3, 12, base, stride));
    };
    const Affine i = Affine::of(0);
    EXPECT_SAME_MATRIX(reference::of(iterative_sum(0, 4, rows(i * 2, 1) * a * columns(i * 3, 1))),
                       reference::of(kron(I(4), a)));
    EXPECT_SAME_MATRIX(reference::of(iterative_sum(0, 4, rows(i, 4) * a * columns(i, 4))),
                       reference::of(kron(a, I(4))));
    // a diagonal that names the variable, and a sum inside a sum
    const Affine j = Affine::of(1);
    const Formula twiddled =
        iterative_sum(0, 4,
                      scatter(IndexMap::strided(3, 12, i * 3, 1)) *
                          diagonal(TwiddleFunction{12, {3, 4}, {1, 3}, Direction::forward},
                                   IndexMap::strided(3, 12, i * 3, 1)) *
                          gather(IndexMap::strided(3, 12, i * 3, 1)));
    EXPECT_SAME_MATRIX(reference::of(twiddled), reference::of(T(12, 3)));
    const Formula nested =
        iterative_sum(0, 2, iterative_sum(1, 2, rows(i * 4 + j * 2, 1) * a * columns(i * 6 + j * 3, 1)));
    EXPECT_SAME_MATRIX(reference::of(nested), reference::of(kron(I(4), a)));
    EXPECT_SAME_MATRIX(reference::of(kron({I(2), nested, I(2)})), reference::of(kron({I(8), a, I(2)})));
    EXPECT_THROW(dense(rows(i, 4)), InternalError) << "a variable that no sum binds";
}

TEST(CooleyTukey, InTheTutorialsFormEqualsTheTransform) {
    for (const auto& [m, n] : {std::pair{2, 4}, {3, 5}, {4, 4}})
        EXPECT_SAME_MATRIX(reference::of(kron(DFT(m), I(n)) * T(m * n, n) * kron(I(m), DFT(n)) * L(m * n, m)),
                           reference::dft(m * n, -1));
}

TEST(Equation16, HoldsInTheTutorialsConvention) {
    const Formula a = matrix(3, 3, {1, 2, 3, 4, {5, 1}, 6, 7, 8, 9});
    EXPECT_SAME_MATRIX(reference::of(kron(a, I(4))), reference::of(L(12, 3) * kron(I(4), a) * L(12, 4)));
}

TEST(Apply, EqualsTheDenseMatrixTimesTheVector) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const std::vector<Formula> terms{
        kron(DFT(4), I(8)) * T(32, 8) * kron(I(4), DFT(8)) * L(32, 4),
        real_of(DFT(6)) * kron(RDFT(3), DCT(2, 4)), direct_sum(WHT(4), DST(4, 3)),
        circulant({1, 2, 3}) * diagonal(ChirpFunction{3, Direction::backward}, 3)};
    for (const Formula& term : terms) {
        std::vector<Complex> x;
        for (Integer i = 0; i < term.columns(); ++i) x.emplace_back(normal(random), normal(random));
        const reference::Dense column{term.columns(), 1, x};
        EXPECT_SAME_MATRIX((reference::Dense{term.rows(), 1, formula::apply(term, x)}),
                           reference::multiply(reference::of(term), column));
    }
}

TEST(Apply, IsFastEnoughForLargeTerms) {
    // 2^20 points from butterflies of 16, and a transform of 4096 points by its definition
    Formula fft = DFT(16);
    for (Integer n = 16; n < Integer{1} << 20; n *= 16)
        fft = kron(DFT(16), I(n)) * T(16 * n, n) * kron(I(16), fft) * L(16 * n, 16);
    std::vector<Complex> impulse(static_cast<std::size_t>(fft.columns()));
    impulse[3] = 1;
    const std::vector<Complex> y = formula::apply(fft, impulse);
    for (const Integer k : {0, 1, 77777, (1 << 20) - 1})
        EXPECT_LT(
            std::abs(y[static_cast<std::size_t>(k)] - root_of_unity(1 << 20, 3 * k, Direction::forward)),
            1e-17L);
    std::vector<Complex> x(4096);
    x[5] = 1;
    EXPECT_LT(std::abs(formula::apply(DFT(4096), x)[7] - root_of_unity(4096, 35, Direction::forward)),
              1e-18L);
}

std::vector<Formula> one_of_each() {
    const Formula a = matrix(2, 3, {1, {0, 2}, 3, 4, 5, {6, -1}});
    const Affine i = Affine::of(0);
    std::vector<Formula> terms{
        I(5),
        DFT(6),
        DFT(6, Direction::backward),
        WHT(8),
        circulant({1, {2, 3}, 4, -5}),
        L(12, 3),
        J(5),
        permutation(IndexMap::table({2, 0, 3, 1}, 4)),
        permutation(IndexMap(15, 15, DigitMap{{3, 5}, {5, 3}, 0, 15})),
        gather(IndexMap::strided(3, 10, 1, 4)),
        scatter(IndexMap::strided(3, 10, 9, -4)),
        gather(IndexMap(6, 7, PowerMap{3, 7})),
        scatter(IndexMap::piecewise({DigitMap{{4}, {2}, 0, 0}, DigitMap{{1, 3}, {9, -2}, 5, 0}}, 9)),
        permutation(IndexMap::piecewise({DigitMap{{2}, {-1}, 1, 0}, DigitMap{{2, 2}, {1, 2}, 2, 0}}, 6)),
        T(12, 4),
        diagonal(ChirpFunction{5, Direction::forward}, 5),
        diagonal(ConstantFunction{{1, 2}}, 3),
        diagonal({1, {2, 3}, 4}),
        a,
        a * DFT(3),
        kron(a, DFT(2)),
        direct_sum(a, DFT(3)),
        iterative_sum(
            0, 4, scatter(IndexMap::strided(2, 8, i * 2, 1)) * a * gather(IndexMap::strided(3, 12, i, 4))),
        real_of(a),
        pass(a),
        tile(a),
        codelet(a)};
    for (const Integer n : {1, 2, 5, 8}) {
        terms.push_back(RDFT(n));
        terms.push_back(RDFT(n, Direction::backward));
        terms.push_back(DHT(n));
        terms.push_back(CZT(n, 3, 0.125L, 0.03L));
        terms.push_back(CZT(n, 7, -0.2L, 1.0L / 3));
        if (n == 8)
            for (const auto order : {WalshOrder::dyadic, WalshOrder::sequency})
                terms.push_back(WHT(n, order));
        for (const int type : {1, 2, 3, 4, 5, 6, 7, 8}) {
            if (type > 1 || n > 1) terms.push_back(DCT(type, n));
            terms.push_back(DST(type, n));
        }
    }
    return terms;
}

TEST(Transpose, OfEveryNodeIsTheTransposedMatrix) {
    for (const Formula& term : one_of_each())
        EXPECT_SAME_MATRIX(reference::of(transpose(term)), reference::transpose(reference::of(term)))
            << "payload " << term.payload().index();
}

TEST(Conjugate, OfEveryNodeIsTheConjugateMatrix) {
    for (const Formula& term : one_of_each()) {
        reference::Dense expected = reference::of(term);
        for (Complex& entry : expected.entries) entry = std::conj(entry);
        EXPECT_SAME_MATRIX(reference::of(conjugate(term)), expected) << "payload " << term.payload().index();
    }
}

TEST(Terms, CompareByValueAndHashAlike) {
    const std::vector<Formula> terms = one_of_each(), again = one_of_each();
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t j = 0; j < terms.size(); ++j) {
            EXPECT_EQ(terms[i] == again[j], i == j) << i << " " << j;
            EXPECT_EQ(terms[i].hash() == again[j].hash(), i == j) << i << " " << j;
        }
}

TEST(Terms, RebuiltFromTheirChildrenAreEqual) {
    for (const Formula& term : one_of_each()) EXPECT_EQ(with_children(term, term.children()), term);
}

TEST(Operators, FlattenOnlyTheirOwnNesting) {
    const Formula a = DFT(4), b = L(4, 2), c = T(4, 2);
    EXPECT_EQ((a * b * c).children().size(), 3u);
    EXPECT_EQ((a * (b * c)), a * b * c);
    EXPECT_EQ((a * pass(b * c)).children().size(), 2u);
    EXPECT_EQ(kron(kron(a, b), c).children().size(), 3u);
    EXPECT_EQ(product({a, product({b, c})}).children().size(), 2u);
    EXPECT_EQ(direct_sum(a, direct_sum(b, c)).children().size(), 3u);
}

TEST(AShapeThatDoesNotFit, IsNamedOnBothSides) {
    try {
        DFT(4) * matrix(3, 2, {1, 2, 3, 4, 5, 6});
        FAIL() << "no error";
    } catch (const InternalError& error) {
        EXPECT_NE(std::string(error.what()).find("4×4"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("3×2"), std::string::npos) << error.what();
    }
    EXPECT_THROW(I(0), InternalError);
    EXPECT_THROW(WHT(6), InternalError);
    EXPECT_THROW(DCT(0, 4), InternalError);
    EXPECT_THROW(DCT(1, 1), InternalError);
    EXPECT_THROW(T(6, 4), InternalError);
    EXPECT_THROW(product({}), InternalError);
    EXPECT_THROW(permutation(IndexMap::strided(4, 8, 0, 2)), InternalError);
    EXPECT_THROW(diagonal(ExplicitFunction{std::make_shared<const std::vector<Complex>>(3)}, 4),
                 InternalError);
    EXPECT_THROW(with_children(DFT(2) * DFT(2), {DFT(2), DFT(3)}), InternalError);
    EXPECT_THROW(kron(I(Integer{1} << 40), I(Integer{1} << 40)), InternalError);
}

} // namespace formula_test
} // namespace swirl::formula
