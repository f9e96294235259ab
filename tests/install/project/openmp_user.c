/* Products in every thread of a parallel region, before and after fork(). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);

enum { n = 300 };

static int products_are_right(void) {
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        const int size = n;
        const double one = 1, zero = 0;
        double* a = malloc(sizeof(double) * n * n);
        double* c = malloc(sizeof(double) * n * n);
        int k;
        for (k = 0; k < n * n; ++k) a[k] = 2;
        dgemm_("N", "N", &size, &size, &size, &one, a, &size, a, &size, &zero, c, &size);
        for (k = 0; k < n * n; ++k) wrong += c[k] != 4.0 * n;
        free(a);
        free(c);
    }
    return wrong == 0;
}

static int product_is_right(void) {
    static double a[n * n], c[n * n];
    const int size = n;
    const double one = 1, zero = 0;
    int k, wrong = 0;
    for (k = 0; k < n * n; ++k) a[k] = 2;
    dgemm_("N", "N", &size, &size, &size, &one, a, &size, a, &size, &zero, c, &size);
    for (k = 0; k < n * n; ++k) wrong += c[k] != 4.0 * n;
    return wrong == 0;
}

int main(void) {
    int status = 1;
    pid_t child;
    if (!products_are_right() || !product_is_right()) return 1;
    child = fork();
    if (child == 0) _exit(product_is_right() ? 0 : 2);
    if (waitpid(child, &status, 0) != child || status != 0) return 2;
    return product_is_right() ? 0 : 3;
}
