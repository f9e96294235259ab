#include "rules/given_formula.hpp"
#include "rules/merge_convolution.hpp"
#include "rules/real_row_column.hpp"
#include "rules/reference.hpp"
#include "rules/rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

namespace swirl::rules {
namespace registry_test {

using formula::DCT;
using formula::DFT;
using formula::DHT;
using formula::DST;
using formula::RDFT;
using formula::WHT;

/// Units of long double's last place, relative to the norm of the whole: the formulas evaluated here are exact but
/// for the rounding of their constants and of the evaluation itself.
constexpr long double tolerance = 64 * std::numeric_limits<long double>::epsilon();

constexpr Direction directions[] = {Direction::forward, Direction::backward};

/// Every transform of size n, and the multidimensional DFTs of n points.
std::vector<Formula> transforms_of_size(Integer n, std::mt19937& generator) {
    std::vector<Formula> result;
    for (const Direction direction : directions) {
        result.push_back(DFT(n, direction));
        result.push_back(RDFT(n, direction));
        for (Integer a = 2; a < n; ++a) {
            if (n % a != 0 || (n > 16 && direction == Direction::backward)) continue;
            const std::vector<Integer> two{a, n / a};
            result.push_back(formula::kron(DFT(a, direction), DFT(n / a, direction)));
            if (n <= 32) result.push_back(formula::kron(DFT(a, direction), DFT(n / a)));
            result.push_back(rdft_multidimensional(two, direction));
            for (Integer b = 2; b < n / a && n <= 32; ++b)
                if (n / a % b == 0) {
                    const std::vector<Integer> three{a, b, n / a / b};
                    result.push_back(
                        formula::kron({DFT(a, direction), DFT(b, direction), DFT(n / a / b, direction)}));
                    result.push_back(formula::kron({DFT(a), DFT(b, Direction::backward), DFT(n / a / b)}));
                    result.push_back(rdft_multidimensional(three, direction));
                }
        }
    }
    for (const int type : {1, 2, 3, 4, 5, 6, 7, 8}) {
        if (type > 1 || n > 1) result.push_back(DCT(type, n));
        result.push_back(DST(type, n));
    }
    result.push_back(DHT(n));
    for (const auto order :
         {formula::WalshOrder::natural, formula::WalshOrder::dyadic, formula::WalshOrder::sequency})
        if ((n & (n - 1)) == 0) result.push_back(WHT(n, order));
    result.push_back(formula::circulant(reference::random_vector(n, generator)));
    result.push_back(formula::circulant(n));
    result.push_back(formula::real_circulant(n));
    result.push_back(formula::CZT(n, n, 0.3L, 0.7L / static_cast<long double>(n)));
    if (n > 1) result.push_back(formula::CZT(n, n / 2, -0.1L, 0.01L) * formula::J(n));
    for (const auto ends :
         {formula::Ends::zero, formula::Ends::periodic, formula::Ends::symmetric, formula::Ends::reflect}) {
        const formula::Wavelet short_one{formula::Wavelet::Family::cdf9_7},
            long_one{formula::Wavelet::Family::daubechies, 1 + static_cast<int>(n % 10)};
        result.push_back(formula::DWT(n, short_one, 2, ends));
        result.push_back(formula::IDWT(n, long_one, 2, ends));
        result.push_back(formula::transpose(formula::DWT(n, long_one, 1, ends)));
        result.push_back(formula::transpose(formula::IDWT(n, short_one, 1, ends)));
        result.push_back(formula::FIR(n, reference::random_vector(1 + n % 7, generator), ends));
        result.push_back(formula::transpose(formula::FIR(n, reference::random_vector(5, generator), ends)));
    }
    for (const auto family : {formula::Wavelet::Family::cdf5_3, formula::Wavelet::Family::cdf9_7}) {
        result.push_back(formula::DWT(n, {family}, 2, formula::Ends::jpeg2000));
        result.push_back(formula::IDWT(n, {family}, 2, formula::Ends::jpeg2000));
        result.push_back(formula::transpose(formula::DWT(n, {family}, 1, formula::Ends::jpeg2000)));
        result.push_back(formula::transpose(formula::IDWT(n, {family}, 1, formula::Ends::jpeg2000)));
    }
    if (n > 1) {
        using formula::kron, formula::real_of;
        result.push_back(formula::J(n) * DFT(n));
        result.push_back(formula::direct_sum(DFT(n - 1), formula::I(1)));
        if (n % 2 == 0) {
            if (n > 2) result.push_back(kron(DCT(2, 2), RDFT(n / 2)));
            result.push_back(real_of(DCT(2, n / 2)));
            result.push_back(real_of(formula::J(n / 2) * DFT(n / 2) * RDFT(n / 2)));
        }
        if (n % 4 == 0 && n > 4) result.push_back(kron({DST(1, 2), DHT(2), DCT(1, n / 4)}));
        if (n % 4 == 0) result.push_back(real_of(kron(DFT(2) * DST(4, 2), formula::I(n / 4))));
        if (n % 6 == 0) result.push_back(real_of(kron(DFT(n / 6) * DCT(3, n / 6), DFT(3))));
    }
    return result;
}

/// The matrix by definition; of a formula that a user may give, and of a real DFT of several dimensions, that of its terms.
std::vector<formula::Complex> matrix_of(const Formula& f) {
    return is_given_formula(f) || is_rdft_multidimensional(f) ? formula::dense(f) : reference::dense(f);
}

std::string describe(const BreakdownRule& rule, const Formula& transform, const Choice& choice) {
    return fmt::format("{}({}) of a transform of payload {} and {} points", rule.name, fmt::join(choice, ","),
                       transform.payload().index(), transform.rows());
}

std::vector<formula::Complex> multiply(const std::vector<formula::Complex>& matrix,
                                       const std::vector<formula::Complex>& x) {
    std::vector<formula::Complex> y(matrix.size() / x.size());
    for (std::size_t i = 0; i < matrix.size(); ++i) y[i / x.size()] += matrix[i] * x[i % x.size()];
    return y;
}

/// Error of a rule's formula against the dense matrix of its transform: as a matrix, or, where the formula's own
/// transforms are so much larger that this would take long, on a random vector.
long double error_of(const Formula& built, const std::vector<formula::Complex>& expected,
                     std::mt19937& generator) {
    Integer largest = 0;
    for (const Formula& child : nonterminals(built)) largest = std::max(largest, child.rows());
    if (built.rows() <= 16 || largest <= built.rows())
        return reference::relative_error(formula::dense(built), expected);
    const auto x = reference::random_vector(built.columns(), generator);
    return reference::relative_error(formula::apply(built, x), multiply(expected, x));
}

TEST(EveryBreakdownRule, EqualsTheDenseTransformForEveryChoice) {
    std::mt19937 generator(1);
    std::map<std::string_view, int> fired;
    for (Integer n = 1; n <= 64; ++n) {
        for (const Formula& transform : transforms_of_size(n, generator)) {
            const std::vector<formula::Complex> expected = matrix_of(transform);
            for (const BreakdownRule& rule : registry()) {
                if (!rule.applicable(transform).ok()) continue;
                const std::vector<Choice> choices = rule.choices(transform);
                EXPECT_FALSE(choices.empty()) << rule.name << " " << n;
                for (const Choice& choice : choices) {
                    ASSERT_LT(error_of(rule.build(transform, choice), expected, generator), tolerance)
                        << describe(rule, transform, choice);
                    ++fired[rule.name];
                }
            }
        }
    }
    for (const BreakdownRule& rule : registry()) {
        EXPECT_GT(fired[rule.name], 0) << rule.name << " was never applied";
        std::cout << fmt::format("{:24} {:5} cases   {}\n", rule.name, fired[rule.name], rule.identity);
    }
}

TEST(AConvolutionsProduct, IsFusedWithTheColumnsOnBothSides) {
    struct Case {
        Integer n;
        const char* tree;
        bool merges;
    };
    const Case cases[] = {
        {64, "circulant-dft[stockham(4,16), stockham(16,4)]", true},
        {60, "circulant-dft[stockham(5,4,3), stockham(4,3,5)]", true},
        {8, "circulant-dft", true},
        {64, "circulant-dft[stockham(4,16), stockham(4,16)]", false},
        {16, "circulant-dft[stockham(4,4), codelet]", false},
    };
    for (const Case& c : cases) {
        const Formula expanded = expand(formula::circulant(c.n), parse_tree(c.tree));
        const Formula merged = with_product_between_columns(expanded);
        EXPECT_EQ(merged != expanded, c.merges) << c.tree;
        EXPECT_LT(
            reference::relative_error(formula::dense(merged), reference::dense(formula::circulant(c.n))),
            tolerance)
            << c.tree;
    }
    EXPECT_EQ(with_product_between_columns(DFT(8)), DFT(8));
}

TEST(EveryBreakdownRule, EqualsTheTransformOfRandomVectorsAtLargerSizes) {
    std::mt19937 generator(2);
    std::vector<Integer> sizes{128, 81, 127, 257, 240};
    std::uniform_int_distribution<Integer> uniform(65, 300);
    for (int i = 0; i < 4; ++i) sizes.push_back(uniform(generator));
    for (const Integer n : sizes)
        for (const Formula& transform : transforms_of_size(n, generator)) {
            if (transform.is<formula::Kronecker>() && generator() % 16 != 0) continue;
            const auto x = reference::random_vector(transform.columns(), generator);
            const auto expected = multiply(matrix_of(transform), x);
            for (const BreakdownRule& rule : registry()) {
                if (!rule.applicable(transform).ok()) continue;
                for (const Choice& choice : rule.choices(transform)) {
                    const auto actual = formula::apply(rule.build(transform, choice), x);
                    EXPECT_LT(reference::relative_error(actual, expected), tolerance)
                        << describe(rule, transform, choice);
                }
            }
        }
}

/// X_{j,k} = Σ x_{a,b} ω_m^{aj} ω_n^{bk} for k ≤ n/2, as pairs. Backward, the inverse DFT of each column comes first; then the
/// rows' real frequencies drop their imaginary components, and the others count twice.
TEST(RealDftOfSeveralDimensions, EqualsItsDefinition) {
    for (const auto& [m, n] : {std::pair<Integer, Integer>{3, 2}, {2, 3}, {4, 6}, {5, 7}, {6, 8}}) {
        const std::vector<Integer> lengths{m, n};
        const Integer pairs = m * (n / 2 + 1), reals = m * n;
        std::vector<formula::Complex> forward(static_cast<std::size_t>(2 * pairs * reals)),
            backward(forward.size());
        for (Integer real = 0; real < reals; ++real)
            for (Integer pair = 0; pair < pairs; ++pair) {
                const Integer k = pair % (n / 2 + 1);
                const formula::Complex of_column = reference::root(real / n * (pair / (n / 2 + 1)), m),
                                       of_row = reference::root(real % n * k, n);
                const formula::Complex there = std::conj(of_column * of_row);
                const bool is_real = k == 0 || 2 * k == n;
                for (const bool imaginary : {false, true}) {
                    const formula::Complex unit = imaginary ? formula::Complex(0, 1) : 1;
                    const Integer component = 2 * pair + (imaginary ? 1 : 0);
                    forward[static_cast<std::size_t>(component * reals + real)] =
                        imaginary ? there.imag() : there.real();
                    backward[static_cast<std::size_t>(real * 2 * pairs + component)] =
                        is_real ? (unit * of_column).real() * of_row.real()
                                : 2 * (unit * of_column * of_row).real();
                }
            }
        EXPECT_LT(reference::relative_error(
                      formula::dense(rdft_multidimensional(lengths, Direction::forward)), forward),
                  tolerance)
            << m << " " << n;
        EXPECT_LT(reference::relative_error(
                      formula::dense(rdft_multidimensional(lengths, Direction::backward)), backward),
                  tolerance)
            << m << " " << n;
    }
}

TEST(RealDftOfSeveralDimensions, HasItsLastDimensionNextToTheRealData) {
    const std::vector<Integer> lengths{3, 4, 6};
    const Formula there = rdft_multidimensional(lengths, Direction::forward),
                  back = rdft_multidimensional(lengths, Direction::backward);
    const BreakdownRule& rule = rule_named("real-row-column");
    EXPECT_EQ(rule.choices(there), (std::vector<Choice>{{2, 1, 0}, {2, 0, 1}}));
    EXPECT_EQ(rule.choices(back), (std::vector<Choice>{{1, 0, 2}, {0, 1, 2}}));
    for (const Choice& choice : {Choice{0, 1, 2}, Choice{2, 1}, Choice{2, 1, 1}})
        EXPECT_THROW(rule.build(there, choice), UserError);
    EXPECT_THROW(rule.build(back, {2, 1, 0}), UserError);
    EXPECT_FALSE(is_given_formula(there));
    EXPECT_FALSE(is_rdft_multidimensional(there * formula::I(72)));
    EXPECT_FALSE(rule.applicable(formula::kron(DFT(3), RDFT(4))).ok()) << "data would be complex";
}

TEST(EveryBreakdownRule, ReportsWhyItDoesNotApply) {
    std::mt19937 generator(3);
    for (const Integer n : {1, 2, 3, 8, 12, 37})
        for (const Formula& transform : transforms_of_size(n, generator))
            for (const BreakdownRule& rule : registry()) {
                const Applicability applicable = rule.applicable(transform);
                if (applicable.ok()) continue;
                EXPECT_FALSE(applicable.reason().empty()) << rule.name;
                EXPECT_THROW(rule.build(transform, {1, 1, 1, 1}), UserError) << rule.name << " " << n;
            }
}

TEST(Registry, IsSortedByNameWithoutRepetition) {
    const auto rules = registry();
    for (std::size_t i = 1; i < rules.size(); ++i) EXPECT_LT(rules[i - 1].name, rules[i].name);
    for (const BreakdownRule& rule : rules) EXPECT_EQ(&rule_named(rule.name), &rule);
}

TEST(Registry, ListsTheNamesWhenAskedForAnUnknownOne) {
    try {
        rule_named("coolei-tukey");
        FAIL();
    } catch (const UserError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("coolei-tukey"), std::string::npos);
        for (const BreakdownRule& rule : registry()) EXPECT_NE(text.find(rule.name), std::string::npos);
    }
}

} // namespace registry_test
} // namespace swirl::rules
