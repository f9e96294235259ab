// The spectral layer of a Fourier neural operator (Li et al. 2021): the lowest modes of each channel are mixed by a matrix
// of complex weights for each mode, the others are dropped.
//
//   example_spectral_layer_cpp [FOLDER]   FOLDER/spectral_layer.txt: one channel before and after
//
// Truncation and padding are callbacks, so dropped modes touch no memory. The matrices are one batched product whose strides
// fit the transforms' order: nothing is transposed.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using Complex = std::complex<float>;

constexpr std::size_t samples = 32, channels_in = 16, channels_out = 24, n = 256, modes = 16;

class SpectralLayer {
public:
    /// weights[mode][in][out]
    explicit SpectralLayer(std::vector<Complex> weights) : weights_(std::move(weights)) {}

    /// x[sample][channel][point] to y[sample][channel][point].
    void operator()(const std::vector<float>& x, std::vector<float>& y) {
        forward_.execute(x.data(), low_.data());
        mix_.execute(1, low_, weights_, 0, mixed_);
        backward_.execute(mixed_.data(), y.data());
    }

private:
    // Spectra have only `modes` elements: [sample][channel][mode].
    swirl::Plan forward_ = swirl::plan("rdft 256 float32 batch=512:(256,16) store=\"x where i < 16\"");
    swirl::Plan backward_ =
        swirl::plan("rdft 256 float32 backward scale=1/256 batch=768:(16,256) load=\"x where i < 16\"");
    // For each mode: rows are samples, columns output channels, k input channels; neighbouring modes are one element apart.
    swirl::Plan mix_ =
        swirl::plan("gemm 32x24x16 complex64 batch=16 a=256:16,step:1 b=24:1,step:384 c=384:16,step:1");
    std::vector<Complex> weights_;
    std::vector<Complex> low_ = std::vector<Complex>(samples * channels_in * modes);
    std::vector<Complex> mixed_ = std::vector<Complex>(samples * channels_out * modes);
};

/// One output by the definition, in double precision.
double by_definition(const std::vector<float>& x, const std::vector<Complex>& weights, std::size_t sample,
                     std::size_t channel, std::size_t point) {
    double y = 0;
    for (std::size_t mode = 0; mode < modes; ++mode) {
        std::complex<double> sum = 0;
        for (std::size_t in = 0; in < channels_in; ++in) {
            std::complex<double> element = 0;
            for (std::size_t i = 0; i < n; ++i)
                element += static_cast<double>(x[(sample * channels_in + in) * n + i]) *
                           std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(mode * i % n) / n);
            sum +=
                element * std::complex<double>(weights[(mode * channels_in + in) * channels_out + channel]);
        }
        const auto rotated =
            sum * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(mode * point % n) / n);
        y += (mode == 0 ? 1 : 2) * rotated.real() / n;
    }
    return y;
}

int main(int count, char** arguments) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::vector<float> x(samples * channels_in * n), y(samples * channels_out * n);
    std::vector<Complex> weights(modes * channels_in * channels_out);
    for (float& value : x) value = normal(random);
    for (Complex& weight : weights) weight = {normal(random), normal(random)};

    SpectralLayer layer(weights);
    layer(x, y);

    double error = 0, largest = 0;
    for (std::size_t i = 0; i < y.size(); i += 997) {
        const double exact = by_definition(x, weights, i / (channels_out * n), i / n % channels_out, i % n);
        error = std::max(error, std::abs(static_cast<double>(y[i]) - exact));
        largest = std::max(largest, std::abs(exact));
    }
    const bool is_right = error < 1e-6 * largest;
    std::printf("%zu samples, %zu to %zu channels, %zu of %zu modes\n", samples, channels_in, channels_out,
                modes, n / 2 + 1);
    std::printf("relative to the definition in double: error %s 1e-6\n", is_right ? "below" : "above");

    if (count > 1) {
        std::ofstream out(std::string(arguments[1]) + "/spectral_layer.txt");
        for (std::size_t i = 0; i < n; ++i) out << i << ' ' << x[i] << ' ' << y[i] << '\n';
    }
    return is_right ? 0 : 1;
}
