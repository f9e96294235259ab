// Convolutions and short-time Fourier transforms on a GPU, in a stream, give what they give on a CPU.

#include "runtime/cuda/memory.hpp"
#include "support/first_gpu.hpp"

#include <swirl/convolution.hpp>
#include <swirl/stft.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace swirl {
namespace signals_test {

constexpr double tolerance = 1e-5; // of float32

std::vector<float> noise(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> result(count);
    for (float& value : result) value = values(random);
    return result;
}

class Signals : public support::FirstGpu {
protected:
    runtime::GpuBuffer to_gpu(const std::vector<float>& values) {
        runtime::GpuBuffer buffer(*device, values.size() * sizeof(float));
        runtime::copy_to_gpu(*stream, buffer.address(), values.data(), values.size() * sizeof(float));
        return buffer;
    }
    runtime::GpuBuffer empty(std::size_t count) { return to_gpu(std::vector<float>(count, -7)); }

    /// Leaves out so many values at both ends of each signal of so many samples.
    void expect_near(const runtime::GpuBuffer& found, const std::vector<float>& expected,
                     const std::string& what, std::size_t left_out = 0, std::size_t samples = 1) {
        std::vector<float> values(expected.size());
        runtime::copy_from_gpu(*stream, values.data(), found.address(), values.size() * sizeof(float));
        stream->synchronize();
        double difference = 0, norm = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const std::size_t sample = k % samples;
            if (left_out > 0 && (sample < left_out || sample + left_out >= samples)) continue;
            difference += std::pow(static_cast<double>(values[k]) - static_cast<double>(expected[k]), 2);
            norm += std::pow(static_cast<double>(expected[k]), 2);
        }
        EXPECT_LE(std::sqrt(difference / norm), tolerance) << what;
    }

    static float* at(const runtime::GpuBuffer& buffer) {
        return reinterpret_cast<float*>(static_cast<std::uintptr_t>(buffer.address()));
    }
    gpu::Stream in_stream() const { return gpu::Stream(static_cast<void*>(stream->handle())); }
    const Options on_gpu{.device = Device::gpu()};
};

std::size_t product_of(const std::vector<Integer>& lengths) {
    std::size_t product = 1;
    for (const Integer length : lengths) product *= static_cast<std::size_t>(length);
    return product;
}

TEST_F(Signals, AreConvolvedAsOnACpu) {
    struct Case {
        std::vector<Integer> signal, kernel;
        ConvolutionMode mode;
        bool is_correlation;
        Integer batch;
    };
    for (const Case& one : {Case{{1000}, {30}, ConvolutionMode::full, false, 3},
                            Case{{200000}, {301}, ConvolutionMode::same, false, 1},
                            Case{{777}, {778}, ConvolutionMode::causal, false, 2},
                            Case{{50000}, {999}, ConvolutionMode::valid, true, 2},
                            Case{{60, 70}, {5, 9}, ConvolutionMode::same, false, 4}}) {
        ConvolutionProblem problem;
        problem.signal = one.signal;
        problem.kernel = one.kernel;
        problem.mode = one.mode;
        problem.is_correlation = one.is_correlation;
        problem.precision = DataType::float32;
        const auto points = static_cast<Integer>(product_of(one.signal));
        Convolution lengths(problem);
        const auto results = static_cast<Integer>(product_of(lengths.result_lengths()));
        if (one.batch > 1) problem.batches = {{one.batch, points, results}};
        Convolution there(problem, on_gpu), here(problem);
        const auto signal = noise(static_cast<std::size_t>(points * one.batch), 1),
                   kernel = noise(product_of(one.kernel), 2);
        std::vector<float> expected(static_cast<std::size_t>(results * one.batch));
        here.set_kernel(kernel);
        here.execute(signal, expected);
        const auto signals = to_gpu(signal), kernels = to_gpu(kernel);
        const auto found = empty(expected.size());
        there.set_kernel(at(kernels), in_stream());
        there.execute(at(signals), at(found), in_stream());
        expect_near(found, expected, there.description());

        const auto by_results = noise(expected.size(), 3);
        const auto results_there = to_gpu(by_results);
        Convolution back = there.signal_gradient(), back_here = here.signal_gradient();
        std::vector<float> gradient(signal.size());
        back_here.set_kernel(kernel);
        back_here.execute(by_results, gradient);
        const auto gradient_there = empty(gradient.size());
        back.set_kernel(at(kernels), in_stream());
        back.execute(at(results_there), at(gradient_there), in_stream());
        expect_near(gradient_there, gradient, "gradient by the signal, " + back.description());
    }
}

TEST_F(Signals, HaveTheSpectraOfACpu) {
    constexpr Integer samples = 16000, signals = 3;
    for (const Integer n_fft : {400, 512, 1024})
        for (const StftEnds ends : {StftEnds::none, StftEnds::zero, StftEnds::reflect}) {
            const StftOptions options{
                .hop = n_fft / 4, .ends = ends, .signals = signals, .data_type = DataType::float32};
            const Stft there(samples, n_fft, options, on_gpu), here(samples, n_fft, options);
            const auto signal = noise(static_cast<std::size_t>(samples * signals), 5);
            const auto bins = static_cast<std::size_t>(here.bins() * here.frames() * signals);
            std::vector<std::complex<float>> spectra(bins);
            std::vector<float> powers(bins), back(signal.size());
            here.forward(signal, spectra);
            here.power(signal, powers);
            here.inverse(spectra, back);
            const auto signals_there = to_gpu(signal);
            const auto spectra_there = empty(2 * bins), powers_there = empty(bins),
                       back_there = empty(back.size());
            auto* const complex_there = reinterpret_cast<std::complex<float>*>(at(spectra_there));
            there.forward(at(signals_there), complex_there, in_stream());
            there.power(at(signals_there), at(powers_there), in_stream());
            there.inverse(complex_there, at(back_there), in_stream());
            const std::string what =
                "n_fft " + std::to_string(n_fft) + ", ends " + std::to_string(static_cast<int>(ends));
            const auto* const reals = reinterpret_cast<const float*>(spectra.data());
            expect_near(spectra_there, {reals, reals + 2 * bins}, what);
            expect_near(powers_there, powers, "powers, " + what);
            // Where few frames reach, small squares of windows divide, and amplify what is rounded.
            const std::size_t ends_left_out = ends == StftEnds::none ? static_cast<std::size_t>(n_fft) : 0;
            expect_near(back_there, back, "inverse, " + what, ends_left_out, samples);
        }
}

} // namespace signals_test
} // namespace swirl
