// Built with -DOTHER_BLAS: another BLAS, which has two routines. Else a program that calls all levels of a BLAS.

#include <complex.h>

#ifdef OTHER_BLAS

double ddot_(const int* n, const double* x, const int* step_x, const double* y, const int* step_y) {
    double sum = 0;
    for (int i = 0; i < *n; ++i) sum += x[i * *step_x] * y[i * *step_y];
    return sum;
}

float _Complex cdotu_(const int* n, const float _Complex* x, const int* step_x, const float _Complex* y,
                      const int* step_y) {
    float _Complex sum = 0;
    for (int i = 0; i < *n; ++i) sum += x[i * *step_x] * y[i * *step_y];
    return sum;
}

void dgemm_(void) {} // is not the one to be called

#else

#include <stdio.h>
#include <string.h>

double ddot_(const int*, const double*, const int*, const double*, const int*);
float _Complex cdotu_(const int*, const float _Complex*, const int*, const float _Complex*, const int*);
void dscal_(const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);

int main(int count, char** words) {
    const int n = 2, one = 1;
    const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, alpha = 1, beta = 0;
    double c[4] = {0};
    const float _Complex x[2] = {1, I}, y[2] = {2, 3};
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n);
    const float _Complex sum = cdotu_(&n, x, &one, y, &one);
    printf("%g %g %g: %g %g %g %g\n", ddot_(&n, a, &one, b, &one), (double)crealf(sum), (double)cimagf(sum),
           c[0], c[1], c[2], c[3]);
    if (count > 1 && strcmp(words[1], "missing") == 0) {
        fflush(stdout);
        dscal_(&n, &alpha, c, &one);
    }
    return 0;
}

#endif
