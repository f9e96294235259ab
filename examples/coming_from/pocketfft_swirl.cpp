// With swirl: spectra of ten real images of 48 x 64 pixels.
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <vector>

int main() {
    const std::size_t images = 10, rows = 48, columns = 64, half = columns / 2 + 1;
    std::vector<float> pixels(images * rows * columns, 0.25F);
    std::vector<std::complex<float>> spectra(images * rows * half);

    swirl::plan("rdft 48x64 float32 batch=10").execute(pixels, spectra);

    std::printf("%.1f\n", spectra[7 * rows * half].real());
}
