// The planner's transforms of every size, against FFTW on the same data and a long double reference.

#include "search/planner.hpp"

#include <gtest/gtest.h>

#if defined(SWIRL_HAVE_FFTW)

#include <fftw3.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <random>

namespace swirl::search {
namespace accuracy_test {

using planning::Plan;

/// How much larger than FFTW's error ours may be.
constexpr double largest_ratio = 1.5;
/// Errors below this many units of the last place are rounding of the output alone.
constexpr double negligible = 0.1;

struct Case {
    Integer n;
    bool single;
    Direction direction;
    Placement placement;
};

std::string name_of(const Case& c) {
    return fmt::format("dft {}{}{}{}", c.n, c.single ? " float32" : "",
                       c.direction == Direction::backward ? " backward" : "",
                       c.placement == Placement::in_place ? " inplace" : "");
}

int sign_of(Direction direction) { return direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD; }

template <class T> using Vector = std::vector<std::complex<T>>;

Vector<long double> reference(const Vector<long double>& x, Direction direction) {
    Vector<long double> in(x.size()), out(x.size());
    const auto plan =
        fftwl_plan_dft_1d(static_cast<int>(x.size()), reinterpret_cast<fftwl_complex*>(in.data()),
                          reinterpret_cast<fftwl_complex*>(out.data()), sign_of(direction), FFTW_ESTIMATE);
    in = x;
    fftwl_execute(plan);
    fftwl_destroy_plan(plan);
    return out;
}

Vector<double> with_fftw(Vector<double> x, Direction direction) {
    Vector<double> y(x.size());
    auto* in = reinterpret_cast<fftw_complex*>(x.data());
    const auto plan =
        fftw_plan_dft_1d(static_cast<int>(x.size()), in, reinterpret_cast<fftw_complex*>(y.data()),
                         sign_of(direction), FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return y;
}

Vector<float> with_fftw(Vector<float> x, Direction direction) {
    Vector<float> y(x.size());
    auto* in = reinterpret_cast<fftwf_complex*>(x.data());
    const auto plan =
        fftwf_plan_dft_1d(static_cast<int>(x.size()), in, reinterpret_cast<fftwf_complex*>(y.data()),
                          sign_of(direction), FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);
    return y;
}

/// Relative L2 error over several vectors.
class Error {
public:
    template <class T> void add(const Vector<T>& y, const Vector<long double>& expected) {
        for (std::size_t k = 0; k < y.size(); ++k) {
            difference_ += std::norm(std::complex<long double>(y[k]) - expected[k]);
            norm_ += std::norm(expected[k]);
        }
    }
    double value() const { return static_cast<double>(std::sqrt(difference_ / norm_)); }

private:
    long double difference_ = 0;
    long double norm_ = 0;
};

/// Points over which errors are averaged: a handful of roundings says nothing of an algorithm.
constexpr Integer least_points = 1024;

template <class T> void compare(const Case& c) {
    const Transform problem =
        Transform::dft({c.n}, {.direction = c.direction,
                               .precision = c.single ? DataType::float32 : DataType::float64,
                               .placement = c.placement});
    const auto plan = make_plan<planning::Plan>(problem, {.use_wisdom = false});
    std::mt19937 generator(static_cast<unsigned>(c.n));
    std::uniform_real_distribution<T> uniform(-1, 1);
    Error ours, theirs;
    for (Integer points = 0; points < least_points; points += c.n) {
        Vector<T> x(static_cast<std::size_t>(c.n));
        for (auto& value : x) value = {uniform(generator), uniform(generator)};
        Vector<T> y = x;
        plan->execute({c.placement == Placement::in_place ? y.data() : x.data(), y.data()});
        const auto expected = reference(Vector<long double>(x.begin(), x.end()), c.direction);
        ours.add(y, expected);
        theirs.add(with_fftw(x, c.direction), expected);
    }
    const double unit = std::numeric_limits<T>::epsilon();
    EXPECT_LE(ours.value(), std::max(largest_ratio * theirs.value(), negligible * unit))
        << name_of(c) << ", " << planning::to_string(plan->schedule());
    EXPECT_LT(ours.value(), unit * std::sqrt(std::max(1.0, std::log2(static_cast<double>(c.n)))))
        << name_of(c);
}

void compare_case(const Case& c) { c.single ? compare<float>(c) : compare<double>(c); }

Case combination(Integer n, unsigned bits) {
    return {n, (bits & 1) != 0, (bits & 2) != 0 ? Direction::backward : Direction::forward,
            (bits & 4) != 0 ? Placement::in_place : Placement::out_of_place};
}

/// SWIRL_THOROUGH=1: every combination of precision, direction and placement instead of one a size, and a hundred large
/// sizes instead of two.
bool thorough() { return std::getenv("SWIRL_THOROUGH") != nullptr; }

constexpr Integer sizes_in_a_test = 256;

class EverySize : public testing::TestWithParam<Integer> {};

TEST_P(EverySize, IsAsAccurateAsFftw) {
    for (Integer n = GetParam(); n < GetParam() + sizes_in_a_test; ++n) {
        const auto chosen = static_cast<unsigned>((n * 2654435761) >> 20) & 7; // Knuth's multiplicative hash
        for (unsigned bits = 0; bits < 8; ++bits)
            if (thorough() || n <= 64 || bits == chosen) compare_case(combination(n, bits));
    }
}

INSTANTIATE_TEST_SUITE_P(UpTo4096, EverySize, testing::Range(Integer{1}, Integer{4097}, sizes_in_a_test));

TEST(LargeSizes, AreAsAccurateAsFftw) {
    std::mt19937 generator(20);
    std::uniform_int_distribution<Integer> size(4097, Integer{1} << 20);
    const int count = thorough() ? 100 : 2;
    for (int k = 0; k < count; ++k) compare_case(combination(size(generator), generator()));
    for (const Integer prime : {Integer{65537}, Integer{99991}})
        compare_case(combination(prime, generator()));
}

} // namespace accuracy_test
} // namespace swirl::search

#endif
