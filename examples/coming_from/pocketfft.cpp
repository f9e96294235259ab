// With pocketfft: spectra of ten real images of 48 x 64 pixels.
#include <pocketfft_hdronly.h>

#include <complex>
#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
    const std::size_t images = 10, rows = 48, columns = 64, half = columns / 2 + 1;
    std::vector<float> pixels(images * rows * columns, 0.25F);
    std::vector<std::complex<float>> spectra(images * rows * half);

    const pocketfft::shape_t shape{images, rows, columns}, axes{1, 2};
    const auto real = static_cast<std::ptrdiff_t>(sizeof(float)), pair = 2 * real; // strides count bytes
    const auto width = static_cast<std::ptrdiff_t>(columns), height = static_cast<std::ptrdiff_t>(rows);
    const auto half_width = static_cast<std::ptrdiff_t>(half);
    const pocketfft::stride_t in{height * width * real, width * real, real};
    const pocketfft::stride_t out{height * half_width * pair, half_width * pair, pair};
    pocketfft::r2c(shape, in, out, axes, pocketfft::FORWARD, pixels.data(), spectra.data(), 1.0F);

    std::printf("%.1f\n", spectra[7 * rows * half].real());
}
