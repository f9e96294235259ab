// With swirl: spectra of 100 windowed signals of 1000 reals, and the signals back from them.
#include <swirl/swirl.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

int main() {
    const int n = 1000, batch = 100, half = n / 2 + 1;
    std::vector<double> window(n), signals(batch * n), again(batch * n);
    std::vector<std::complex<double>> spectra(batch * half);
    const swirl::Plan forward =
        swirl::plan("rdft 1000 batch=100 load=\"x * window[i]\"").with("window", window);
    const swirl::Plan backward = swirl::plan("rdft 1000 batch=100 backward scale=1/1000"); // keeps its input

    for (int i = 0; i < n; ++i) window[i] = 0.5 - 0.5 * std::cos(6.283185307179586 * i / n);
    for (int i = 0; i < batch * n; ++i) signals[i] = std::cos(6.283185307179586 * (i / n) * (i % n) / n);
    forward.execute(signals, spectra);
    const double line = std::abs(spectra[50 * half + 50]);
    backward.execute(spectra, again);

    std::printf("%.3f %.3f\n", line, again[50 * n + 500]);
}
