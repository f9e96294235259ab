// An image that was blurred by a moving camera and has noise is restored by Wiener's filter.
//
//   example_deconvolution_cpp [FOLDER]    FOLDER/original.txt, blurred.txt, restored.txt: grey values, row by row
//
// Blur and restoration are circular convolutions, which swirl computes as one problem: a transform, the product with a
// spectrum, and the inverse transform.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using Complex = std::complex<double>;
using Image = std::vector<Complex>;

constexpr int n = 256, motion = 15;
constexpr double noise_level = 0.001;

/// Bars, a disc and a ramp, with grey values from 0 to 1.
Image scene() {
    Image image(n * n);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            double value = 0.1;
            if (y > 30 && y < 90 && x > 24 && x < 232) value = (x - 24) / 8 % 2 ? 0.9 : 0.2;
            if (std::hypot(x - 80, y - 170) < 45) value = 0.7;
            if (std::hypot(x - 95, y - 155) < 12) value = 0.1;
            if (x > 150 && x < 232 && y > 120 && y < 220) value = (x - 150) / 82.0;
            image[static_cast<std::size_t>(y * n + x)] = value;
        }
    return image;
}

double distance(const Image& a, const Image& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::norm(a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

void write(const std::string& name, const Image& image) {
    std::ofstream out(name);
    for (int y = 0; y < n; ++y, out << '\n')
        for (int x = 0; x < n; ++x)
            out << std::lround(255 * std::clamp(image[static_cast<std::size_t>(y * n + x)].real(), 0.0, 1.0))
                << ' ';
}

int main(int count, char** arguments) {
    const Image original = scene();
    Image kernel(n * n), blur(n * n), wiener(n * n), blurred(n * n), restored(n * n);
    for (int i = 0; i < motion; ++i) // the camera moves along the diagonal
        kernel[static_cast<std::size_t>(i * n + i)] = 1.0 / motion;
    swirl::plan("dft 256x256").execute(kernel, blur);

    const swirl::Plan convolution = swirl::plan("convolution 256x256");
    convolution.with("spectrum", blur).execute(original, blurred);
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, noise_level);
    for (Complex& pixel : blurred) pixel = pixel.real() + noise(random);

    // Wiener: conj(H) / (|H|² + noise / signal). Without the second term the zeros of H would amplify the noise.
    const double ratio = 1e-4;
    for (std::size_t k = 0; k < blur.size(); ++k)
        wiener[k] = std::conj(blur[k]) / (std::norm(blur[k]) + ratio);
    convolution.with("spectrum", wiener).execute(blurred, restored);

    const double before = distance(blurred, original), after = distance(restored, original);
    std::printf("root mean square error: blurred %.4f, restored %.4f\n", before, after);
    if (count > 1) {
        const std::string folder = arguments[1];
        write(folder + "/original.txt", original);
        write(folder + "/blurred.txt", blurred);
        write(folder + "/restored.txt", restored);
    }
    return after < before / 2 ? 0 : 1;
}
