// With FFTW: spectra of 100 windowed signals of 1000 reals, and the signals back from them.
#include <fftw3.h>

#include <cmath>
#include <cstdio>

int main() {
    const int n = 1000, batch = 100, half = n / 2 + 1;
    double* window = fftw_alloc_real(n);
    double* signals = fftw_alloc_real(batch * n);
    double* windowed = fftw_alloc_real(batch * n);
    fftw_complex* spectra = fftw_alloc_complex(batch * half);
    double* again = fftw_alloc_real(batch * n);
    fftw_plan forward = fftw_plan_many_dft_r2c(1, &n, batch, windowed, nullptr, 1, n, spectra, nullptr, 1,
                                               half, FFTW_MEASURE);
    fftw_plan backward = fftw_plan_many_dft_c2r(1, &n, batch, spectra, nullptr, 1, half, again, nullptr, 1, n,
                                                FFTW_MEASURE); // destroys its input when executed

    for (int i = 0; i < n; ++i) window[i] = 0.5 - 0.5 * std::cos(6.283185307179586 * i / n);
    for (int i = 0; i < batch * n; ++i) signals[i] = std::cos(6.283185307179586 * (i / n) * (i % n) / n);
    for (int i = 0; i < batch * n; ++i) windowed[i] = window[i % n] * signals[i];
    fftw_execute(forward);
    const double line = std::hypot(spectra[50 * half + 50][0], spectra[50 * half + 50][1]);
    fftw_execute(backward);
    for (int i = 0; i < batch * n; ++i) again[i] /= n;

    std::printf("%.3f %.3f\n", line, again[50 * n + 500]);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(window);
    fftw_free(signals);
    fftw_free(windowed);
    fftw_free(spectra);
    fftw_free(again);
}
