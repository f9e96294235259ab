// Reconstructs an image from what a magnetic resonance scanner measures: its spectrum, as seen by eight coils, stored in
// half precision.
//
//   example_mri_cpp [FOLDER]              FOLDER/mri.txt: the image; mri_error.txt: what half precision changes, in units of 1e-4
//
// Half precision halves the memory traffic of the spectra. Arithmetic is float32; the images of the coils are float32, too.
#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

using Complex = std::complex<float>;

constexpr int n = 256, coils = 8;
constexpr std::size_t pixels = n * n;

/// Ellipses of Shepp and Logan's head phantom (1974), with Toft's contrasts.
float phantom(double x, double y) {
    struct Ellipse {
        double value, a, b, x, y, degrees;
    };
    static constexpr Ellipse ellipses[] = {{1, .69, .92, 0, 0, 0},        {-.8, .6624, .874, 0, -.0184, 0},
                                           {-.2, .11, .31, .22, 0, -18},  {-.2, .16, .41, -.22, 0, 18},
                                           {.1, .21, .25, 0, .35, 0},     {.1, .046, .046, 0, .1, 0},
                                           {.1, .046, .046, 0, -.1, 0},   {.1, .046, .023, -.08, -.605, 0},
                                           {.1, .023, .023, 0, -.606, 0}, {.1, .023, .046, .06, -.605, 0}};
    double value = 0;
    for (const Ellipse& e : ellipses) {
        const double angle = e.degrees * 3.14159265358979 / 180, dx = x - e.x, dy = y - e.y;
        const double u = dx * std::cos(angle) + dy * std::sin(angle),
                     v = dy * std::cos(angle) - dx * std::sin(angle);
        if (u * u / (e.a * e.a) + v * v / (e.b * e.b) <= 1) value += e.value;
    }
    return static_cast<float>(value);
}

/// Root of the sum of squares of the coils' images.
std::vector<float> combined(const std::vector<Complex>& images) {
    std::vector<float> image(pixels);
    for (std::size_t p = 0; p < pixels; ++p) {
        float sum = 0;
        for (std::size_t coil = 0; coil < coils; ++coil) sum += std::norm(images[coil * pixels + p]);
        image[p] = std::sqrt(sum);
    }
    return image;
}

int main(int count, char** arguments) {
    // A coil sees what is near it; the coils lie on a circle.
    std::vector<Complex> seen(coils * pixels), measured(coils * pixels), images(coils * pixels);
    for (int coil = 0; coil < coils; ++coil)
        for (int row = 0; row < n; ++row)
            for (int column = 0; column < n; ++column) {
                const double x = 2.0 * column / n - 1, y = 1 - 2.0 * row / n,
                             angle = 6.283185307179586 * coil / coils;
                const double distance = std::hypot(x - 1.2 * std::cos(angle), y - 1.2 * std::sin(angle));
                seen[static_cast<std::size_t>((coil * n + row) * n + column)] =
                    Complex(std::polar(std::exp(-distance * distance), angle)) * phantom(x, y);
            }
    swirl::plan("dft 256x256 float32 batch=8 scale=1/256").execute(seen, measured);
    std::vector<swirl::complex_float16> stored(measured.begin(), measured.end());

    // 16 bits in memory where the spectrum is read, float32 where the images are written.
    const swirl::Plan plan =
        swirl::plan("dft 256x256 float32 batch=8 backward scale=1/256 load=\"float16: x\"");
    plan.execute(stored, images);
    const std::vector<float> image = combined(images), exact = combined(seen);

    double error = 0, energy = 0;
    for (std::size_t p = 0; p < pixels; ++p) {
        error += std::pow(static_cast<double>(image[p]) - static_cast<double>(exact[p]), 2);
        energy += std::pow(static_cast<double>(exact[p]), 2);
    }
    error = std::sqrt(error / energy);
    std::printf("%d coils, %zu KiB of spectra in place of %zu\n", coils,
                stored.size() * sizeof stored[0] / 1024, measured.size() * sizeof measured[0] / 1024);
    std::printf("relative error of the image %.1e\n", error);

    if (count > 1) {
        const std::string folder = arguments[1];
        std::ofstream picture(folder + "/mri.txt"), difference(folder + "/mri_error.txt");
        for (std::size_t p = 0; p < pixels; ++p) {
            const char* end = (p + 1) % n == 0 ? "\n" : " ";
            picture << image[p] << end;
            difference << 1e4F * (image[p] - exact[p]) << end;
        }
    }
    return error < 1e-3 ? 0 : 1; // 2^-11 is 4.9e-4
}
