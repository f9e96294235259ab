#include "c_interface.hpp"
#include "support/error_of.hpp"
#include "support/special_values.hpp"

#include <swirl/half.hpp>
#include <swirl/swirl.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace callbacks_test {

using Complex = std::complex<double>;
using Wide = std::complex<long double>;

template <class T> std::vector<T> random_values(std::size_t count, unsigned seed) {
    std::minstd_rand generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<T> values(count);
    for (T& value : values) {
        if constexpr (std::is_same_v<T, Complex>)
            value = {uniform(generator), uniform(generator)};
        else
            value = uniform(generator);
    }
    return values;
}

Wide root(std::size_t power, std::size_t n) {
    constexpr long double pi = 3.14159265358979323846264338327950288L;
    return std::polar(1.0L, -2 * pi * static_cast<long double>(power % n) / static_cast<long double>(n));
}

/// One output of a DFT by its definition.
Wide dft_at(const std::vector<Wide>& x, std::size_t k) {
    Wide sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * root(j * k, x.size());
    return sum;
}

TEST(CallbacksThroughTheInterface, TakeNamedArraysOnCpus) {
    constexpr std::size_t n = 100, batch = 3;
    const Plan plan = swirl::plan("dft 100 batch=3 load=\"x * complex h[b, i]\" store=\"x * w[i] - i\"");
    const auto x = random_values<Complex>(n * batch, 1), h = random_values<Complex>(n * batch, 2);
    const auto w = random_values<double>(n, 3);
    std::vector<Complex> y(n * batch);
    plan.with("h", h.data()).with("w", w.data()).execute(x.data(), y.data());
    for (std::size_t b = 0; b < batch; ++b) {
        std::vector<Wide> loaded(n);
        for (std::size_t j = 0; j < n; ++j) loaded[j] = Wide(x[b * n + j]) * Wide(h[b * n + j]);
        for (std::size_t k = 0; k < n; ++k) {
            const Wide expected =
                dft_at(loaded, k) * static_cast<long double>(w[k]) - static_cast<long double>(k);
            EXPECT_LT(std::abs(Wide(y[b * n + k]) - expected), 1e-12L) << b << " " << k;
        }
    }
    EXPECT_NE(error_of<UserError>([&] { plan.execute(x.data(), y.data()); }).find("array h is missing"),
              std::string::npos);
    EXPECT_NE(error_of<UserError>([&] {
                  plan.with("h", h.data())
                      .with("w", reinterpret_cast<const double*>(y.data()))
                      .execute(x.data(), y.data());
              }).find("overlap"),
              std::string::npos);
}

TEST(CallbacksThroughTheInterface, StoreReals) {
    constexpr std::size_t n = 90, batch = 2;
    const auto x = random_values<Complex>(n * batch, 1);
    std::vector<double> y(n * batch);
    std::vector<float> single(n * batch);
    std::vector<Complex> wrong(n * batch);
    const Plan plan = swirl::plan("dft 90 batch=2 store=\"real: abs2(x)\"");
    plan.execute(x, y);
    swirl::plan("dft 90 batch=2 store=\"real float32: abs2(x)\"").execute(x, single);
    for (std::size_t b = 0; b < batch; ++b) {
        const std::vector<Wide> loaded(x.begin() + static_cast<std::ptrdiff_t>(b * n),
                                       x.begin() + static_cast<std::ptrdiff_t>((b + 1) * n));
        for (std::size_t k = 0; k < n; ++k) {
            const auto expected = static_cast<double>(std::norm(dft_at(loaded, k)));
            EXPECT_NEAR(y[b * n + k], expected, 1e-11);
            EXPECT_NEAR(single[b * n + k], expected, 1e-4);
        }
    }
    EXPECT_NE(error_of<UserError>([&] { plan.execute(x, wrong); }), "");
    const auto refused = [](const char* text) {
        return error_of<UserError>([&] { validate(problem(text)); });
    };
    EXPECT_NE(refused("dft 8 store=\"real: 2 * x\"").find("complex value is stored as real"),
              std::string::npos);
    EXPECT_NE(refused("dft 8 load=\"real: re(x)\"").find("leave out 'real:'"), std::string::npos);
    EXPECT_NE(refused("dct2 8 store=\"real: x\"").find("real already"), std::string::npos);
    EXPECT_NE(refused("dft 8 inplace store=\"real: re(x)\"").find("out-of-place"), std::string::npos);
    EXPECT_NE(refused("dft 8x8 store=\"real: re(x)\"").find("several dimensions"), std::string::npos);
    EXPECT_EQ(Expression("real   float16 : abs2(x)").text(), "real float16: abs2(x)");
    EXPECT_EQ(Expression("abs2(x)").stored_as_real().stored_as(DataType::float16).text(),
              "real float16: abs2(x)");
    EXPECT_EQ(Expression("x * real[i]").text(), "x * real[i]");
    EXPECT_EQ(Expression("real[i] * x").text(), "real[i] * x");
}

TEST(CallbacksThroughTheInterface, ReadAndWriteNothingThatConditionsLeaveOut) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const char* cpu : {"sse2", "avx2", "avx512", "portable"})
        for (const std::size_t n : {12U, 64U, 1000U, 1021U}) {
            const std::size_t read = n / 3 + 1, first = n / 5, last = n - 3;
            const std::string text = "dft " + std::to_string(n) + " load=\"x where i < " +
                                     std::to_string(read) +
                                     "\" store=\"x where i >= " + std::to_string(first) + " and i < " +
                                     std::to_string(last) + "\"";
            Plan plan;
            try {
                plan = swirl::plan(text, {.cpu = cpu, .use_wisdom = false});
            } catch (const Unavailable&) {
                continue;
            }
            auto x = random_values<Complex>(n, 4);
            std::vector<Wide> loaded(x.begin(), x.end());
            for (std::size_t j = read; j < n; ++j) x[j] = nan, loaded[j] = 0;
            const Complex untouched(1e300, -7);
            std::vector<Complex> y(n, untouched);
            plan.execute(x.data(), y.data());
            for (std::size_t k = 0; k < n; ++k)
                if (first <= k && k < last)
                    ASSERT_LT(std::abs(Wide(y[k]) - dft_at(loaded, k)), 1e-11L) << text << " " << k;
                else
                    ASSERT_EQ(y[k], untouched) << text << " " << k;
        }
}

/// Each has the value that the expression gives for its own index.
TEST(CallbacksThroughTheInterface, DistinguishHalfSpectrumElementsAtOneAddress) {
    for (const char* cpu : {"portable", "sse2", "avx2", "avx512"})
        for (const char* text :
             {"rdft 5 backward in=0 load=\"x where i < 2\"", "rdft 16 backward in=0 load=\"x * i\"",
              "rdft 81 backward planar in=0 float32 load=\"x where i < 7\""}) {
            try {
                const std::string description = plan(text, {.cpu = cpu, .use_wisdom = false}).description();
                EXPECT_NE(description.find("checked: yes"), std::string::npos) << cpu << " " << description;
            } catch (const Unavailable&) {} // this machine has no such CPU
        }
    const std::complex<double> one(1, 0);
    double out[4] = {};
    plan("rdft 4 backward in=0 load=\"x * i\"", {.use_wisdom = false})
        .execute(&one, out); // the spectrum 0, 1, 2
    EXPECT_DOUBLE_EQ(out[0], 4);
    EXPECT_DOUBLE_EQ(out[1], -2);
    EXPECT_DOUBLE_EQ(out[2], 0);
    EXPECT_DOUBLE_EQ(out[3], -2);
}

TEST(CallbacksThroughTheInterface, LetInfinitiesAndNansThrough) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const char* cpu : {"sse2", "portable"}) {
        const Plan plan = swirl::plan("dct2 1 batch=40 load=\"x < 0 ? 0 : x\" store=\"x where b < 39\"",
                                      {.cpu = cpu, .use_wisdom = false});
        std::vector<double> x(40, 1), y(40, 5);
        x[3] = infinity, x[4] = -infinity, x[5] = std::nan(""), x[39] = std::nan("");
        plan.execute(x.data(), y.data());
        EXPECT_EQ(y[2], 2);
        EXPECT_EQ(y[3], infinity);
        EXPECT_EQ(y[4], 0);
        EXPECT_TRUE(std::isnan(y[5]));
        EXPECT_EQ(y[39], 5);
    }
}

/// Batches of dct2 of length 1, which doubles its input, with a callback that distinguishes special values.
template <class Real> void expect_special_values(const std::string& cpu, const std::string& side) {
    const auto doubled = [&](double x) {
        return 2 * x + (cpu == "portable" ? 0.0 : -0.0); // portable codelets start sums at +0
    };
    for (const support::SpecialExpression& expression : support::special_expressions) {
        const std::string text = "dct2 1 batch=40 " + std::string(sizeof(Real) == 4 ? "float32 " : "") +
                                 side + "=\"" + expression.text + "\"";
        SCOPED_TRACE(cpu + ": " + text);
        Plan plan;
        try {
            plan = swirl::plan(text, {.cpu = cpu, .use_wisdom = false});
        } catch (const Unavailable&) {
            return;
        }
        std::vector<Real> x(40), y(40);
        for (std::size_t k = 0; k < x.size(); ++k)
            x[k] = static_cast<Real>(support::special_values[k % support::special_values.size()]);
        plan.execute(x.data(), y.data());
        for (std::size_t k = 0; k < x.size(); ++k)
            support::expect_same_value(y[k],
                                       static_cast<Real>(side == "load" ? doubled(expression.value(x[k]))
                                                                        : expression.value(doubled(x[k]))));
    }
}

TEST(CallbacksThroughTheInterface, HaveTheNansInfinitiesAndZerosOfTheirArithmetic) {
    for (const char* cpu : {"sse2", "avx2", "avx512", "portable"})
        for (const char* side : {"load", "store"}) {
            expect_special_values<double>(cpu, side);
            expect_special_values<float>(cpu, side);
        }
}

TEST(ConvolutionThroughTheInterface, IsTheCircularSum) {
    for (const std::size_t n : {1U, 2U, 30U, 64U, 97U}) {
        const auto x = random_values<Complex>(n, 5), h = random_values<Complex>(n, 6);
        std::vector<Complex> spectrum(n), y(n);
        for (std::size_t k = 0; k < n; ++k)
            spectrum[k] = Complex(dft_at(std::vector<Wide>(h.begin(), h.end()), k));
        const Plan plan = swirl::plan("convolution " + std::to_string(n));
        plan.with("spectrum", spectrum.data()).execute(x.data(), y.data());
        for (std::size_t k = 0; k < n; ++k) {
            Wide sum = 0;
            for (std::size_t j = 0; j < n; ++j) sum += Wide(h[j]) * Wide(x[(k + n - j) % n]);
            EXPECT_LT(std::abs(Wide(y[k]) - sum), 1e-13L * static_cast<long double>(n)) << n << " " << k;
        }
    }
}

TEST(ConvolutionThroughTheInterface, HasNoCodelet) {
    for (const char* schedule : {"sse2: 0 codelet", "portable: 0 codelet"}) {
        const Options options{.cpu = std::string(schedule).substr(0, std::string(schedule).find(':')),
                              .schedule = schedule};
        try {
            swirl::plan("convolution 16", options);
            FAIL() << schedule;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("circulant-dft"), std::string::npos) << error.what();
        }
    }
}

/// A transform of one point, which only converts.
template <class Half> std::vector<Half> stored(const std::vector<float>& values, const char* cpu) {
    const std::string type = std::is_same_v<Half, float16> ? "float16" : "bfloat16";
    const Plan plan =
        swirl::plan("wht 1 float32 batch=" + std::to_string(values.size()) + " store=\"" + type + ": x\"",
                    {.cpu = cpu, .use_wisdom = false});
    std::vector<Half> result(values.size());
    plan.execute(values.data(), result.data());
    return result;
}

TEST(HalfPrecisionThroughTheInterface, RoundsToNearestEvenAndOverflowsToInfinity) {
    std::vector<float> values{0.0F,     -0.0F,    1.0F,         1 + 0x1p-11F, 1 + 0x3p-11F, 1 + 0x1p-8F,
                              65504.0F, 65519.0F, 65520.0F,     -1e30F,       0x1p-24F,     0x1p-25F,
                              0x3p-25F, 3e38F,    0x1.fffp-15F, INFINITY,     -INFINITY,    1e-40F};
    std::minstd_rand generator(7);
    for (int k = 0; k < 200; ++k)
        values.push_back(
            std::ldexp(static_cast<float>(generator()), static_cast<int>(generator() % 60) - 60));
    values.push_back(NAN);
    for (const char* cpu : {"sse2", "avx2", "avx512", "portable"}) {
        std::vector<float16> halves;
        try {
            halves = stored<float16>(values, cpu);
        } catch (const Unavailable&) {
            continue;
        }
        const std::vector<bfloat16> brains = stored<bfloat16>(values, cpu);
        for (std::size_t k = 0; k + 1 < values.size(); ++k) {
            EXPECT_EQ(halves[k].bits, float16(values[k]).bits) << cpu << " " << values[k];
            EXPECT_EQ(brains[k].bits, bfloat16(values[k]).bits) << cpu << " " << values[k];
        }
        EXPECT_TRUE(std::isnan(static_cast<float>(halves.back())));
        EXPECT_TRUE(std::isnan(static_cast<float>(brains.back())));
    }
}

TEST(HalfPrecisionThroughTheInterface, TransformsComplexHalves) {
    const Plan plan = swirl::plan("dft 4 bfloat16");
    using C = complex_half<bfloat16>;
    const std::vector<C> x{C({1, 0}), C({0, 2}), C({-1, 0}), C({0, 1})};
    std::vector<C> y(4);
    plan.execute(x.data(), y.data());
    EXPECT_EQ(std::complex<float>(y[0]), std::complex<float>(0, 3));
    EXPECT_EQ(std::complex<float>(y[1]), std::complex<float>(3, 0));
    const Plan planar = swirl::plan("dft 4 float16 planar");
    const std::vector<float16> re(4, float16(1)), im(4, float16(0));
    std::vector<float16> out(4), out_im(4);
    planar.execute(re.data(), im.data(), out.data(), out_im.data());
    EXPECT_EQ(static_cast<float>(out[0]), 4);
    EXPECT_EQ(static_cast<float>(out[1]), 0);
}

/// A circular convolution with the unit impulse, of values whose sums are beyond the largest float16.
TEST(HalfPrecisionThroughTheInterface, RoundsResultsOfConvolutionsOnce) {
    for (const char* cpu : {"sse2", "avx2", "avx512", "portable"})
        for (const std::size_t n : {7193U, 7200U, 16384U}) {
            Plan plan;
            try {
                plan = swirl::plan("rconvolution " + std::to_string(n) + " float16",
                                   {.cpu = cpu, .use_wisdom = false});
            } catch (const Unavailable&) {
                continue;
            }
            const std::vector<complex_half<float16>> spectrum(n / 2 + 1, complex_half<float16>({1, 0}));
            std::vector<float16> x, y(n);
            for (std::size_t k = 0; k < n; ++k) x.emplace_back(static_cast<float>(50 + k % 101));
            plan.with("spectrum", spectrum.data()).execute(x.data(), y.data());
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k)
                sum += std::pow(static_cast<float>(y[k]) - static_cast<float>(x[k]), 2);
            EXPECT_LE(std::sqrt(sum / static_cast<double>(n)), 1e-3)
                << cpu << " " << n << ": integers are exact";
        }
}

TEST(CallbacksFromC, TakeNamedArraysOnCpus) {
    const c::Problem problem = c::transform(SWIRL_DFT, {8});
    ASSERT_EQ(swirl_problem_set_load(problem.get(), "x * w[i]"), SWIRL_OK);
    const c::Plan plan = c::plan(problem);
    const auto x = random_values<Complex>(8, 8);
    const auto w = random_values<double>(8, 9);
    std::vector<Complex> y(8);
    const swirl_array arrays[] = {
        {"input", x.data(), nullptr}, {"output", y.data(), nullptr}, {"w", w.data(), nullptr}};
    ASSERT_EQ(swirl_execute_arrays(plan.get(), arrays, 3, nullptr), SWIRL_OK) << swirl_last_error();
    std::vector<Wide> loaded(8);
    for (std::size_t j = 0; j < 8; ++j) loaded[j] = Wide(x[j]) * static_cast<long double>(w[j]);
    for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(std::abs(Wide(y[k]) - dft_at(loaded, k)), 1e-14L);
    EXPECT_EQ(swirl_execute(plan.get(), x.data(), y.data()), SWIRL_USER_ERROR);
}

TEST(CallbacksThroughTheInterface, AreRefusedWhereNoCpuConverts) {
    EXPECT_NE(error_of<Unsupported>([] {
                  swirl::plan("dft 64 load=\"float16: x\"");
              }).find("float16 with arithmetic in float64 is for GPUs only"),
              std::string::npos);
    EXPECT_NE(error_of<Unsupported>([] {
                  swirl::plan("dft 64 float32 load=\"x * float64 w[i]\"");
              }).find("array w of float64"),
              std::string::npos);
}

} // namespace callbacks_test
} // namespace swirl
