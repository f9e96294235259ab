// A long signal filtered in blocks that the planner chooses, and the gradients that a program which learns the filter needs.
#include <swirl/swirl.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
    constexpr std::size_t samples = 100'000, taps = 250;
    std::vector<float> signal(samples), filter(taps, 1.0F / taps), filtered(samples);
    for (std::size_t i = 0; i < samples; ++i) signal[i] = std::sin(0.001F * static_cast<float>(i));

    swirl::ConvolutionProblem problem;
    problem.signal = {samples};
    problem.kernel = {taps};
    problem.mode = swirl::ConvolutionMode::same;
    problem.precision = swirl::DataType::float32;
    swirl::Convolution mean(problem);
    mean.set_kernel(filter);
    mean.execute(signal, filtered);
    std::printf("%.3f becomes %.3f\n", signal[50'000], filtered[50'000]);

    // Of half the sum of squares of the results the gradient by the results is the results.
    swirl::Convolution by_signal = mean.signal_gradient(), by_filter = mean.kernel_gradient();
    std::vector<float> signal_gradient(samples), filter_gradient(taps);
    by_signal.set_kernel(filter);
    by_signal.execute(filtered, signal_gradient);
    by_filter.set_kernel(filtered);
    by_filter.execute(signal, filter_gradient);

    // The function is quadratic in the filter: its derivative along the filter is twice its value.
    double value = 0, derivative = 0;
    for (const float y : filtered) value += 0.5 * y * y;
    for (std::size_t i = 0; i < taps; ++i) derivative += filter_gradient[i] * filter[i];
    std::printf("twice the value: %s\n", std::abs(derivative - 2 * value) < 1e-4 * value ? "yes" : "no");
}
