/* A program that calls the BLAS; link it with -lswirl_blas. */
#include <stdio.h>

void dgemm_(const char* transposed_a, const char* transposed_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);

int main(void) {
    const int n = 2;
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, zero = 0; /* by columns */
    double c[4];
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    printf("%g %g\n%g %g\n", c[0], c[2], c[1], c[3]);
    return 0;
}
