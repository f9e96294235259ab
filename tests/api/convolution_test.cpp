// Convolutions of reals, and linear convolutions with their gradients, against sums in long double.

#include <swirl/swirl.h>
#include <swirl/convolution.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace convolution_test {

using swirl::Convolution;
using swirl::ConvolutionMode;
using swirl::ConvolutionProblem;
using swirl::Integer;
using LongComplex = std::complex<long double>;

std::size_t size(Integer n) { return static_cast<std::size_t>(n); }

Integer points_of(const std::vector<Integer>& lengths) {
    return std::accumulate(lengths.begin(), lengths.end(), Integer{1}, std::multiplies<>());
}

template <class T> inline constexpr bool is_complex = !std::is_floating_point_v<T>;

template <class T> std::vector<T> random_values(Integer count, std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> values(size(count));
    for (T& value : values)
        if constexpr (is_complex<T>)
            value = {uniform(random), uniform(random)};
        else
            value = uniform(random);
    return values;
}

Integer signals_of(const ConvolutionProblem& problem) {
    return problem.batches.empty() ? 1 : problem.batches[0].count;
}

/// Calls f with every index of a box.
void for_each_index(const std::vector<Integer>& lengths,
                    const std::function<void(const std::vector<Integer>&)>& f) {
    std::vector<Integer> index(lengths.size());
    for (Integer k = 0, count = points_of(lengths); k < count; ++k) {
        f(index);
        for (std::size_t d = lengths.size(); d-- > 0 && ++index[d] == lengths[d];) index[d] = 0;
    }
}

Integer offset_of(const std::vector<Integer>& index, const std::vector<Integer>& lengths) {
    Integer offset = 0;
    for (std::size_t d = 0; d < lengths.size(); ++d) offset = offset * lengths[d] + index[d];
    return offset;
}

/// The result at an index of the full convolution, by definition.
template <class T>
LongComplex full_at(const ConvolutionProblem& problem, const T* x, const T* h,
                    const std::vector<Integer>& at) {
    LongComplex sum = 0;
    for_each_index(problem.kernel, [&](const std::vector<Integer>& j) {
        std::vector<Integer> of_signal(at.size()), of_kernel(at.size());
        for (std::size_t d = 0; d < at.size(); ++d) {
            of_signal[d] = at[d] - j[d];
            if (of_signal[d] < 0 || of_signal[d] >= problem.signal[d]) return;
            of_kernel[d] = problem.is_correlation ? problem.kernel[d] - 1 - j[d] : j[d];
        }
        const LongComplex tap(h[offset_of(of_kernel, problem.kernel)]);
        sum += LongComplex(x[offset_of(of_signal, problem.signal)]) *
               (problem.is_correlation ? std::conj(tap) : tap);
    });
    return sum;
}

struct Range {
    std::vector<Integer> starts, counts;
};

Range range_of(const ConvolutionProblem& problem) {
    Range range;
    for (std::size_t d = 0; d < problem.signal.size(); ++d) {
        const Integer n = problem.signal[d], m = problem.kernel[d];
        switch (problem.mode) {
        case ConvolutionMode::full: range.starts.push_back(0), range.counts.push_back(n + m - 1); break;
        case ConvolutionMode::same: range.starts.push_back((m - 1) / 2), range.counts.push_back(n); break;
        case ConvolutionMode::valid: range.starts.push_back(m - 1), range.counts.push_back(n - m + 1); break;
        case ConvolutionMode::causal: range.starts.push_back(0), range.counts.push_back(n); break;
        }
    }
    return range;
}

template <class T>
std::vector<LongComplex> expected(const ConvolutionProblem& problem, const std::vector<T>& x,
                                  const std::vector<T>& h) {
    const Range range = range_of(problem);
    const Integer signal = points_of(problem.signal), kernel = points_of(problem.kernel);
    std::vector<LongComplex> result;
    for (Integer b = 0; b < signals_of(problem); ++b)
        for_each_index(range.counts, [&](std::vector<Integer> index) {
            for (std::size_t d = 0; d < index.size(); ++d) index[d] += range.starts[d];
            const Integer k = problem.kernels == swirl::Sharing::each ? b : 0;
            result.push_back(full_at(problem, x.data() + b * signal, h.data() + k * kernel, index));
        });
    return result;
}

template <class T>
long double relative_error(const std::vector<T>& found, const std::vector<LongComplex>& expected) {
    EXPECT_EQ(found.size(), expected.size());
    long double difference = 0, norm = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
        difference += std::norm(LongComplex(found[k]) - expected[k]);
        norm += std::norm(expected[k]);
    }
    return std::sqrt(norm > 0 ? difference / norm : difference);
}

template <class T> using RealOf = decltype(std::abs(T()));

std::string text_of(const ConvolutionProblem& problem) { return Convolution(problem).description(); }

template <class T> void expect_right(ConvolutionProblem problem, std::mt19937& random) {
    problem.is_complex = is_complex<T>;
    problem.precision =
        std::is_same_v<RealOf<T>, float> ? swirl::DataType::float32 : swirl::DataType::float64;
    const Integer kernels = problem.kernels == swirl::Sharing::each ? signals_of(problem) : 1;
    const auto x = random_values<T>(points_of(problem.signal) * signals_of(problem), random);
    const auto h = random_values<T>(points_of(problem.kernel) * kernels, random);
    Convolution convolution(problem);
    convolution.set_kernel(h);
    constexpr Integer guard = 3;
    const Integer count = points_of(convolution.result_lengths()) * signals_of(problem);
    std::vector<T> y(size(count + 2 * guard), T(77));
    convolution.execute(x, y.data() + guard);
    for (Integer k = 0; k < guard; ++k) {
        EXPECT_EQ(y[size(k)], T(77)) << convolution.description();
        EXPECT_EQ(y[size(guard + count + k)], T(77)) << convolution.description();
    }
    const std::vector<T> found(y.begin() + guard, y.begin() + guard + count);
    EXPECT_LT(relative_error(found, expected(problem, x, h)), 12 * std::numeric_limits<RealOf<T>>::epsilon())
        << convolution.description();
}

/// Lengths of a few points up to `most`, as many as dimensions.
std::vector<Integer> draw_lengths(std::size_t rank, Integer most, std::mt19937& random) {
    std::vector<Integer> lengths(rank);
    for (Integer& length : lengths) length = std::uniform_int_distribution<Integer>(1, most)(random);
    return lengths;
}

ConvolutionProblem draw(std::mt19937& random) {
    const auto below = [&](Integer n) { return std::uniform_int_distribution<Integer>(0, n - 1)(random); };
    ConvolutionProblem problem;
    const std::size_t rank = size(1 + below(3));
    problem.signal = draw_lengths(rank, rank == 1 ? 300 : rank == 2 ? 20 : 8, random);
    problem.kernel = draw_lengths(rank, rank == 1 ? 100 : rank == 2 ? 12 : 6, random);
    problem.mode = static_cast<ConvolutionMode>(below(4));
    if (problem.mode == ConvolutionMode::valid)
        for (std::size_t d = 0; d < rank; ++d)
            if (problem.kernel[d] > problem.signal[d]) std::swap(problem.kernel[d], problem.signal[d]);
    problem.is_correlation = below(2) == 1;
    if (below(3) == 0) problem.batches = {{1 + below(4), {}, {}}};
    problem.kernels = below(2) == 0 ? swirl::Sharing::each : swirl::Sharing::shared;
    return problem;
}

TEST(LinearConvolution, EqualsTheSumForRandomProblems) {
    std::mt19937 random(20261127);
    for (int round = 0; round < 40; ++round) {
        const ConvolutionProblem problem = draw(random);
        switch (round % 4) {
        case 0: expect_right<double>(problem, random); break;
        case 1: expect_right<float>(problem, random); break;
        case 2: expect_right<std::complex<double>>(problem, random); break;
        default: expect_right<std::complex<float>>(problem, random); break;
        }
    }
}

TEST(LinearConvolution, CutsLongSignalsIntoBlocks) {
    std::mt19937 random(7);
    for (const ConvolutionMode mode :
         {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid, ConvolutionMode::causal})
        for (const bool is_correlation : {false, true})
            for (const Integer n : {30'000, 30'011})
                for (const Integer m : {2, 60}) {
                    ConvolutionProblem problem;
                    problem.signal = {n};
                    problem.kernel = {m};
                    problem.mode = mode;
                    problem.is_correlation = is_correlation;
                    EXPECT_LT(Convolution(problem).transform_lengths()[0], n);
                    expect_right<double>(problem, random);
                    if (n == 30'000 && m == 60) expect_right<std::complex<float>>(problem, random);
                }
}

TEST(LinearConvolution, HasBatchesOfLongSignals) {
    std::mt19937 random(8);
    for (const swirl::Sharing kernels : {swirl::Sharing::shared, swirl::Sharing::each}) {
        ConvolutionProblem problem;
        problem.signal = {20'000};
        problem.kernel = {33};
        problem.batches = {{3, {}, {}}};
        problem.kernels = kernels;
        problem.mode = ConvolutionMode::same;
        expect_right<float>(problem, random);
    }
}

TEST(LinearConvolution, TakesHalfPrecision) {
    ConvolutionProblem problem;
    problem.signal = {300};
    problem.kernel = {4};
    problem.precision = swirl::DataType::float16;
    std::vector<swirl::float16> x, h, y(303);
    for (int k = 0; k < 300; ++k) x.emplace_back(static_cast<float>(k % 7 - 3));
    for (int k = 0; k < 4; ++k) h.emplace_back(static_cast<float>(k + 1));
    Convolution convolution(problem);
    convolution.set_kernel(h);
    convolution.execute(x, y);
    for (int k = 0; k < 303; ++k) {
        float sum = 0;
        for (int j = 0; j < 4; ++j)
            if (k >= j && k - j < 300)
                sum += static_cast<float>(h[size(j)]) * static_cast<float>(x[size(k - j)]);
        EXPECT_NEAR(static_cast<float>(y[size(k)]), sum, 0.1F) << k;
    }
}

TEST(LinearConvolution, HasStrides) {
    std::mt19937 random(18);
    for (const Integer n : {40, 5000})
        for (const swirl::Sharing kernels : {swirl::Sharing::shared, swirl::Sharing::each}) {
            // Columns of a matrix, the last element of each first in the results.
            ConvolutionProblem problem;
            problem.signal = {n};
            problem.kernel = {7};
            problem.mode = ConvolutionMode::same;
            problem.kernels = kernels;
            problem.batches = {{3, 1, 2}};
            problem.signal_strides = {3};
            problem.result_strides = {-6};
            const auto x = random_values<double>(3 * n, random), h = random_values<double>(21, random);
            std::vector<double> y(size(6 * n), 77), columns, found;
            Convolution convolution(problem);
            convolution.set_kernel(h);
            convolution.execute(x.data(), y.data() + 6 * (n - 1));
            for (Integer b = 0; b < 3; ++b)
                for (Integer k = 0; k < n; ++k) {
                    columns.push_back(x[size(3 * k + b)]);
                    found.push_back(y[size(6 * (n - 1 - k) + 2 * b)]);
                    EXPECT_EQ(y[size(6 * (n - 1 - k) + 2 * b + 1)], 77);
                }
            problem.batches = {{3, {}, {}}};
            problem.signal_strides = problem.result_strides = {};
            EXPECT_LT(relative_error(found, expected(problem, columns, h)), 1e-14)
                << convolution.description();
            EXPECT_THROW(convolution.execute(x, y),
                         swirl::UserError); // a vector begins at its lowest element
        }
}

TEST(LinearConvolution, HasKernelsLongerThanSignals) {
    std::mt19937 random(9);
    for (const ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::causal})
        for (const auto& [n, m] : {std::pair<Integer, Integer>{1, 1}, {1, 9}, {2, 9}, {9, 1}, {100, 3000}}) {
            ConvolutionProblem problem;
            problem.signal = {n};
            problem.kernel = {m};
            problem.mode = mode;
            expect_right<double>(problem, random);
        }
}

TEST(LinearConvolution, HasSameBitsOnSeveralThreads) {
    std::mt19937 random(10);
    ConvolutionProblem problem;
    problem.signal = {50'000};
    problem.kernel = {200};
    const auto x = random_values<double>(50'000, random), h = random_values<double>(200, random);
    std::vector<std::vector<double>> results;
    for (const int threads : {1, 3}) {
        swirl::Options options;
        options.threads = threads;
        Convolution convolution(problem, options);
        convolution.set_kernel(h);
        convolution.execute(x, results.emplace_back(50'199));
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST(LinearConvolution, TakesASpectrum) {
    std::mt19937 random(11);
    ConvolutionProblem problem;
    problem.signal = {20, 30};
    problem.kernel = {5, 6};
    problem.transform = {24, 36};
    const auto x = random_values<double>(600, random), h = random_values<double>(30, random);
    std::vector<double> padded(24 * 36), first(24 * 35), second(24 * 35);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 6; ++j) padded[i * 36 + j] = h[i * 6 + j];
    std::vector<std::complex<double>> spectrum(24 * 19);
    swirl::plan("rdft 24x36").execute(padded, spectrum);
    Convolution convolution(problem);
    EXPECT_EQ(convolution.transform_lengths(), (std::vector<Integer>{24, 36}));
    convolution.set_spectrum(spectrum);
    convolution.execute(x, first);
    Convolution other = convolution;
    other.set_kernel(h);
    other.execute(x, second);
    for (std::size_t k = 0; k < first.size(); ++k) EXPECT_NEAR(first[k], second[k], 1e-13);
}

TEST(LinearConvolution, KeepsTheKernelOfACopy) {
    ConvolutionProblem problem;
    problem.signal = {4};
    problem.kernel = {1};
    Convolution one(problem);
    one.set_kernel(std::vector<double>{2});
    Convolution two = one;
    two.set_kernel(std::vector<double>{3});
    std::vector<double> x{1, 2, 3, 4}, y(4);
    one.execute(x, y);
    EXPECT_NEAR(y[3], 8, 1e-14);
    two.execute(x, y);
    EXPECT_NEAR(y[3], 12, 1e-14);
    two.set_kernel(std::vector<double>{5});
    two.execute(x, y);
    EXPECT_NEAR(y[3], 20, 1e-14);
}

/// L = Re Σ conj(w)·y.
template <class T>
long double loss(const ConvolutionProblem& problem, const std::vector<T>& x, const std::vector<T>& h,
                 const std::vector<T>& w) {
    const std::vector<LongComplex> y = expected(problem, x, h);
    long double sum = 0;
    for (std::size_t k = 0; k < y.size(); ++k) sum += (std::conj(LongComplex(w[k])) * y[k]).real();
    return sum;
}

/// The gradient ∂L/∂Re + i·∂L/∂Im by a few elements, from differences, which are exact for a linear function.
template <class T, class Loss>
void expect_gradient(std::vector<T> at, const std::vector<T>& gradient, Loss&& loss_at,
                     const std::string& what) {
    const long double before = loss_at(at);
    const std::size_t step = std::max<std::size_t>(at.size() / 5, 1);
    for (std::size_t k = 0; k < at.size(); k += step) {
        const T original = at[k];
        at[k] = original + T(1);
        const long double real = loss_at(at) - before;
        EXPECT_NEAR(static_cast<double>(std::real(gradient[k])), static_cast<double>(real), 1e-9)
            << what << " " << k;
        if constexpr (is_complex<T>) {
            at[k] = original + T(0, 1);
            EXPECT_NEAR(gradient[k].imag(), static_cast<double>(loss_at(at) - before), 1e-9)
                << what << " " << k;
        }
        at[k] = original;
    }
}

template <class T> void expect_gradients(ConvolutionProblem problem, std::mt19937& random) {
    problem.is_complex = is_complex<T>;
    const auto x = random_values<T>(points_of(problem.signal) * signals_of(problem), random);
    const bool has_each = problem.kernels == swirl::Sharing::each;
    const auto h = random_values<T>(points_of(problem.kernel) * (has_each ? signals_of(problem) : 1), random);
    const Convolution forward(problem);
    const auto w = random_values<T>(points_of(forward.result_lengths()) * signals_of(problem), random);

    Convolution by_signal = forward.signal_gradient();
    EXPECT_EQ(by_signal.result_lengths(), problem.signal);
    by_signal.set_kernel(h);
    std::vector<T> of_signal(x.size());
    by_signal.execute(w, of_signal);
    expect_gradient(
        x, of_signal, [&](const std::vector<T>& at) { return loss(problem, at, h, w); },
        "signal of " + text_of(problem));

    Convolution by_kernel = forward.kernel_gradient();
    EXPECT_EQ(by_kernel.result_lengths(), problem.kernel);
    by_kernel.set_kernel(w);
    std::vector<T> of_kernel(h.size()), with_workspace(h.size());
    by_kernel.execute(x, of_kernel);
    std::vector<std::byte> workspace(by_kernel.workspace_bytes() + 64);
    auto* const aligned =
        workspace.data() + (64 - reinterpret_cast<std::uintptr_t>(workspace.data()) % 64) % 64;
    by_kernel.execute(x, with_workspace, {}, {aligned, by_kernel.workspace_bytes()});
    EXPECT_EQ(of_kernel, with_workspace);
    expect_gradient(
        h, of_kernel, [&](const std::vector<T>& at) { return loss(problem, x, at, w); },
        "kernel of " + text_of(problem));

    // The adjoint of the adjoint is the convolution.
    Convolution again = by_signal.signal_gradient();
    again.set_kernel(h);
    std::vector<T> y(w.size());
    again.execute(x, y);
    EXPECT_LT(relative_error(y, expected(problem, x, h)), 1e-14);
}

TEST(GradientsOfAConvolution, EqualFiniteDifferences) {
    std::mt19937 random(12);
    for (int round = 0; round < 24; ++round) {
        ConvolutionProblem problem = draw(random);
        if (problem.signal.size() == 1) problem.signal[0] = problem.signal[0] % 100 + 60;
        if (problem.mode == ConvolutionMode::valid && problem.kernel[0] > problem.signal[0])
            problem.kernel[0] = 7;
        if (round % 2 == 0)
            expect_gradients<double>(problem, random);
        else
            expect_gradients<std::complex<double>>(problem, random);
    }
}

TEST(GradientsOfAConvolution, ByAKernelThatManySignalsShareIsTheirSum) {
    ConvolutionProblem problem;
    problem.signal = {50};
    problem.kernel = {3};
    problem.mode = ConvolutionMode::same;
    problem.batches = {{4, {}, {}}, {100, {}, {}}};
    for (const swirl::DataType type : {swirl::DataType::float16, swirl::DataType::bfloat16}) {
        problem.precision = type;
        Convolution by_kernel = Convolution(problem).kernel_gradient();
        const auto expect_sum = [&](auto example) {
            using Half = decltype(example);
            const std::vector<Half> x(20000, Half(0.25F)), g(20000, Half(1.0F));
            std::vector<Half> sum(3);
            by_kernel.set_kernel(g);
            by_kernel.execute(x, sum);
            EXPECT_EQ(static_cast<float>(sum[1]), static_cast<float>(Half(5000.0F)));
            EXPECT_NEAR(static_cast<float>(sum[0]), 4900, 20);
        };
        if (type == swirl::DataType::float16)
            expect_sum(swirl::float16{});
        else
            expect_sum(swirl::bfloat16{});
    }
    std::vector<std::byte> little(64);
    Convolution by_kernel = Convolution(problem).kernel_gradient();
    const std::vector<swirl::bfloat16> x(20000);
    std::vector<swirl::bfloat16> sum(3);
    by_kernel.set_kernel(x);
    EXPECT_THROW(by_kernel.execute(x, sum, {}, {little.data(), little.size()}), swirl::UserError);
}

TEST(GradientsOfAConvolution, OfKernelsLongerThanSignalsHaveZeros) {
    std::mt19937 random(13);
    for (const ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::causal})
        for (const bool is_correlation : {false, true}) {
            ConvolutionProblem problem;
            problem.signal = {2};
            problem.kernel = {9};
            problem.mode = mode;
            problem.is_correlation = is_correlation;
            expect_gradients<std::complex<double>>(problem, random);
        }
}

TEST(GradientsOfAConvolution, OfLongSignals) {
    std::mt19937 random(14);
    ConvolutionProblem problem;
    problem.signal = {9'000};
    problem.kernel = {20};
    problem.mode = ConvolutionMode::same;
    expect_gradients<double>(problem, random);
    Convolution gradient = Convolution(problem).kernel_gradient();
    EXPECT_THROW(gradient.kernel_gradient(), swirl::Unsupported);
    EXPECT_THROW(gradient.signal_gradient(), swirl::Unsupported);
}

template <class F> std::string error_of(F&& f) {
    try {
        f();
    } catch (const swirl::UserError& error) {
        return error.what();
    }
    return "no error";
}

void expect_error(const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(LinearConvolution, RefusesWhatItCannotCompute) {
    const auto planned = [](const ConvolutionProblem& problem) {
        return error_of([&] { (void)Convolution(problem); });
    };
    ConvolutionProblem problem;
    expect_error(planned(problem), "the signal has 0 dimensions");
    problem.signal = {5};
    expect_error(planned(problem), "the kernel has 0 dimensions, the signal 1");
    problem.kernel = {0};
    expect_error(planned(problem), "the kernel's length of dimension 0 is 0");
    problem.kernel = {6};
    problem.mode = ConvolutionMode::valid;
    expect_error(planned(problem), "dimension 0 of the kernel has 6 points, more than the signal's 5");
    problem.mode = ConvolutionMode::full;
    problem.batches = {{0, {}, {}}};
    expect_error(planned(problem), "a loop of the batch has 0 signals");
    problem.batches = {};
    problem.result_strides = {1, 1};
    expect_error(planned(problem), "2 result strides for 1 dimensions");
    problem.result_strides = {};
    problem.transform = {9};
    expect_error(planned(problem), "transform length 9 of dimension 0 is too short");
    expect_error(planned(problem), "at least 10 points");
    problem.transform = {10, 10};
    expect_error(planned(problem), "2 transform lengths for 1 dimensions");
    problem.transform = {};
    problem.signal = {1, 2, 3, 4};
    problem.kernel = {1, 1, 1, 1};
    expect_error(planned(problem), "4 dimensions");
    expect_error(
        error_of([] { Convolution().execute(std::vector<double>(1), std::vector<double>(1).data()); }),
        "the convolution is empty");
}

TEST(LinearConvolution, RefusesWrongArrays) {
    ConvolutionProblem problem;
    problem.signal = {50};
    problem.kernel = {7};
    Convolution convolution(problem);
    std::vector<double> x(50), y(56), h(7);
    std::vector<float> floats(60);
    expect_error(error_of([&] { convolution.execute(x, y); }), "no kernel");
    expect_error(error_of([&] { convolution.set_kernel(nullptr); }), "kernel is null");
    expect_error(error_of([&] { convolution.set_kernel(floats); }), "kernel is an array of float");
    expect_error(error_of([&] { convolution.set_kernel(std::vector<double>(6)); }), "kernel has 6 elements");
    convolution.set_kernel(h);
    expect_error(error_of([&] { convolution.execute(std::vector<double>(49), y); }),
                 "signal has 49 elements");
    expect_error(error_of([&] { convolution.execute(x, std::vector<double>(55).data() ? x : x); }),
                 "result has 50");
    expect_error(error_of([&] { convolution.execute(x.data(), static_cast<double*>(nullptr)); }),
                 "result is null");
    std::vector<double> both(100);
    expect_error(error_of([&] { convolution.execute(both.data(), both.data() + 49); }), "overlap");
    convolution.execute(both.data(), std::vector<double>(56).data());
}

// ---- in C

TEST(LinearConvolutionInC, ConvolvesAndHasGradients) {
    const int64_t signal[] = {1000}, kernel[] = {5};
    swirl_convolution_problem problem = SWIRL_CONVOLUTION_PROBLEM_INIT;
    problem.rank = 1;
    problem.signal = signal;
    problem.kernel = kernel;
    problem.mode = SWIRL_SAME;
    problem.data_type = SWIRL_FLOAT32;
    swirl_convolution* convolution = nullptr;
    ASSERT_EQ(swirl_convolution_create(&problem, nullptr, &convolution), SWIRL_OK) << swirl_last_error();
    std::vector<float> x(1000), y(1000), h{1, 2, 3, 4, 5};
    x[500] = 1;
    EXPECT_EQ(swirl_convolution_execute(convolution, x.data(), y.data(), nullptr), SWIRL_USER_ERROR);
    ASSERT_EQ(swirl_convolution_set_kernel(convolution, h.data(), nullptr), SWIRL_OK) << swirl_last_error();
    ASSERT_EQ(swirl_convolution_execute(convolution, x.data(), y.data(), nullptr), SWIRL_OK)
        << swirl_last_error();
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(y[498 + k], h[k], 1e-5);
    int64_t lengths[3] = {};
    ASSERT_EQ(swirl_convolution_result_lengths(convolution, lengths), SWIRL_OK);
    EXPECT_EQ(lengths[0], 1000);
    ASSERT_EQ(swirl_convolution_transform_lengths(convolution, lengths), SWIRL_OK);
    EXPECT_GE(lengths[0], 64);
    char text[2000];
    size_t length = 0;
    ASSERT_EQ(swirl_convolution_description(convolution, text, sizeof text, &length), SWIRL_OK);
    EXPECT_NE(std::string(text).find("convolution of 1000 with 5, same, float32"), std::string::npos) << text;

    swirl_convolution *back = nullptr, *by_kernel = nullptr;
    ASSERT_EQ(swirl_convolution_signal_gradient(convolution, &back), SWIRL_OK) << swirl_last_error();
    ASSERT_EQ(swirl_convolution_set_kernel(back, h.data(), nullptr), SWIRL_OK);
    ASSERT_EQ(swirl_convolution_execute(back, x.data(), y.data(), nullptr), SWIRL_OK) << swirl_last_error();
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(y[502 - k], h[k], 1e-5);
    ASSERT_EQ(swirl_convolution_kernel_gradient(convolution, &by_kernel), SWIRL_OK) << swirl_last_error();
    std::vector<float> gradient(5);
    ASSERT_EQ(swirl_convolution_set_kernel(by_kernel, x.data(), nullptr), SWIRL_OK);
    ASSERT_EQ(swirl_convolution_execute(by_kernel, x.data(), gradient.data(), nullptr), SWIRL_OK);
    EXPECT_NEAR(gradient[2], 1, 1e-5);
    EXPECT_NEAR(gradient[1], 0, 1e-5);
    for (swirl_convolution* each : {convolution, back, by_kernel}) swirl_convolution_destroy(each);
    swirl_convolution_destroy(nullptr);
}

TEST(LinearConvolutionInC, RefusesWrongArguments) {
    swirl_convolution* convolution = nullptr;
    EXPECT_EQ(swirl_convolution_create(nullptr, nullptr, &convolution), SWIRL_USER_ERROR);
    swirl_convolution_problem problem = SWIRL_CONVOLUTION_PROBLEM_INIT;
    problem.rank = 1;
    EXPECT_EQ(swirl_convolution_create(&problem, nullptr, &convolution), SWIRL_USER_ERROR);
    EXPECT_NE(std::string(swirl_last_error()).find("problem.signal"), std::string::npos)
        << swirl_last_error();
    problem.rank = 9;
    EXPECT_EQ(swirl_convolution_create(&problem, nullptr, &convolution), SWIRL_USER_ERROR);
    const int64_t lengths[] = {5};
    problem.rank = 1;
    problem.signal = problem.kernel = lengths;
    problem.mode = 4;
    EXPECT_EQ(swirl_convolution_create(&problem, nullptr, &convolution), SWIRL_USER_ERROR);
    problem.mode = SWIRL_FULL;
    problem.data_type = SWIRL_INT8;
    EXPECT_EQ(swirl_convolution_create(&problem, nullptr, &convolution), SWIRL_USER_ERROR);
    EXPECT_EQ(convolution, nullptr);
    EXPECT_EQ(swirl_convolution_execute(nullptr, nullptr, nullptr, nullptr), SWIRL_USER_ERROR);
    EXPECT_EQ(swirl_convolution_workspace_bytes(nullptr), 0U);
}

// ---- circular convolutions of reals

/// y[k] = scale·Σ_j h[j]·x[k − j mod n], with the half spectrum of h.
void expect_circular(const std::vector<Integer>& lengths, const std::string& options, std::mt19937& random) {
    std::string text = "rconvolution ";
    for (std::size_t d = 0; d < lengths.size(); ++d) text += (d == 0 ? "" : "x") + std::to_string(lengths[d]);
    SCOPED_TRACE(text + options);
    const Integer n = points_of(lengths);
    const auto x = random_values<double>(n, random), h = random_values<double>(n, random);
    std::vector<std::complex<double>> spectrum(size(n / lengths.back() * (lengths.back() / 2 + 1)));
    swirl::plan(swirl::Transform::real_dft(lengths)).execute(h, spectrum);
    std::vector<double> y = x;
    const swirl::Plan plan = swirl::plan(text + options).with("spectrum", spectrum);
    const bool is_in_place = options.find("inplace") != std::string::npos;
    plan.execute(is_in_place ? y : x, y);
    std::vector<LongComplex> result;
    for_each_index(lengths, [&](const std::vector<Integer>& k) {
        long double sum = 0;
        for_each_index(lengths, [&](const std::vector<Integer>& j) {
            std::vector<Integer> from(k.size());
            for (std::size_t d = 0; d < k.size(); ++d) from[d] = (k[d] - j[d] + lengths[d]) % lengths[d];
            sum +=
                static_cast<long double>(h[size(offset_of(j, lengths))]) * x[size(offset_of(from, lengths))];
        });
        result.emplace_back(sum);
    });
    EXPECT_LT(relative_error(y, result), 4e-16L * std::sqrt(std::log2(static_cast<long double>(n) + 2)));
}

TEST(ConvolutionOfReals, EqualsTheSumForEverySmallSize) {
    std::mt19937 random(15);
    for (Integer n = 1; n <= 40; ++n)
        for (const char* options : {"", " inplace"}) expect_circular({n}, options, random);
    for (const Integer n : {97, 128, 135, 240, 251, 1000}) expect_circular({n}, "", random);
}

TEST(ConvolutionOfReals, HasSeveralDimensions) {
    std::mt19937 random(16);
    for (const std::vector<Integer>& lengths :
         {std::vector<Integer>{4, 6}, {5, 7}, {1, 9}, {9, 1}, {3, 4, 5}, {1, 1}, {8, 1, 6}, {2, 3, 4, 5}})
        for (const char* options : {"", " inplace"}) expect_circular(lengths, options, random);
}

TEST(ConvolutionOfReals, IgnoresImaginaryComponentsOfRealFrequencies) {
    std::vector<std::complex<double>> spectrum(5, {1, 0});
    spectrum[0] = {1, 9};
    spectrum[4] = {1, -9};
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<double> y(8);
    swirl::plan("rconvolution 8").with("spectrum", spectrum).execute(x, y);
    for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(y[k], x[k], 1e-14);
}

TEST(ConvolutionOfReals, MayHaveASpectrumEachAndCallbacks) {
    std::mt19937 random(17);
    const auto x = random_values<double>(3 * 20, random);
    std::vector<std::complex<double>> spectra(3 * 17);
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t k = 0; k < 17; ++k) spectra[b * 17 + k] = 1.0 + static_cast<double>(b);
    std::vector<double> y(3 * 20, 5);
    swirl::plan(
        "rconvolution 32 batch=3:(20,20) load=\"2 * x where i < 20\" store=\"x where i >= 4 and i < 20\" "
        "spectrum=each")
        .with("spectrum", spectra)
        .execute(x, y);
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t k = 0; k < 20; ++k)
            EXPECT_NEAR(y[b * 20 + k], k < 4 ? 5 : 2 * (1.0 + static_cast<double>(b)) * x[b * 20 + k], 1e-14);
}

TEST(ConvolutionOfReals, WritesWhatLiesAfterItsPointerOnly) {
    // The element with index 0 need not exist where a callback leaves it out.
    std::vector<double> data(48, 1);
    std::vector<std::complex<double>> spectrum(17, {1, 0});
    const swirl::Plan plan =
        swirl::plan("rconvolution 32 store=\"x where i >= 16\"").with("spectrum", spectrum);
    plan.execute(data.data(), data.data() + 16);
    for (std::size_t k = 0; k < 48; ++k) EXPECT_NEAR(data[k], 1, 1e-14);
    EXPECT_THROW(plan.execute(data.data(), data.data() + 15), swirl::UserError);
}

} // namespace convolution_test
