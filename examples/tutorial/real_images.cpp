#include <swirl/swirl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

int main() {
    // Ten images of 48 rows and 64 columns, one after the other. Each pixel is the image's number plus a stripe.
    constexpr std::size_t images = 10, rows = 48, columns = 64, half = columns / 2 + 1;
    std::vector<float> pixels(images * rows * columns), again(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<float>(i / (rows * columns)) + (i % 4 < 2 ? 0.5F : -0.5F);

    // Real data have a symmetric spectrum; half of it is stored: 33 of 64 columns.
    std::vector<std::complex<float>> spectra(images * rows * half);
    swirl::plan("rdft 48x64 float32 batch=10").execute(pixels, spectra);

    // Element (0, 0) is the sum of an image's pixels.
    std::printf("mean of image 7: %.2f\n", spectra[7 * rows * half].real() / (rows * columns));

    // The inverse, divided by the number of pixels, gives the images again.
    swirl::plan("rdft 48x64 float32 batch=10 backward scale=1/3072").execute(spectra, again);
    float error = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) error = std::max(error, std::abs(pixels[i] - again[i]));
    std::printf("largest difference below 1e-5: %s\n", error < 1e-5F ? "yes" : "no");
}
