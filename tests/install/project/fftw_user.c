/* A program written for FFTW, in C and C++: a spectrum of one line in double, its inverse in single precision. */
#include <fftw3.h>

#include <math.h>
#include <stdlib.h>

int main(void) {
    double* const wave = fftw_alloc_real(24);
    fftw_complex* const spectrum = fftw_alloc_complex(13);
    fftwf_complex* const lines = fftwf_alloc_complex(13);
    float* const back = fftwf_alloc_real(24);
    const fftw_plan forward = fftw_plan_dft_r2c_1d(24, wave, spectrum, FFTW_MEASURE);
    const fftwf_plan inverse = fftwf_plan_dft_c2r_1d(24, lines, back, FFTW_ESTIMATE);
    int i;
    for (i = 0; i < 24; ++i) wave[i] = cos(2 * 3.14159265358979323846 * 5 * i / 24);
    if (forward == NULL || inverse == NULL) return 1;
    fftw_execute(forward);
    for (i = 0; i < 13; ++i) {
        const double expected = i == 5 ? 12 : 0;
        if (fabs(spectrum[i][0] - expected) > 1e-12 || fabs(spectrum[i][1]) > 1e-12) return 2;
        lines[i][0] = (float)spectrum[i][0];
        lines[i][1] = (float)spectrum[i][1];
    }
    fftwf_execute(inverse);
    for (i = 0; i < 24; ++i)
        if (fabs(back[i] - 24 * wave[i]) > 1e-4) return 3;
    fftw_destroy_plan(forward);
    fftwf_destroy_plan(inverse);
    fftw_free(wave);
    fftw_free(spectrum);
    fftwf_free(lines);
    fftwf_free(back);
    return 0;
}
