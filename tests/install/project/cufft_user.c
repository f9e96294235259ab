/* Plans through cuFFT's interface, with NVIDIA's header where it is installed: on a machine without a GPU it says so. */
#include <stddef.h>
#include <stdio.h>

#if defined(USE_NVIDIAS_HEADER)
#include <cufft.h>
#else
typedef int cufftHandle;
typedef int cufftResult;
enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_C2C = 0x29
};
cufftResult cufftGetVersion(int* version);
cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, int type, int batch, size_t* bytes);
#endif

static int fails(const char* what, int status) {
    printf("%s: %d\n", what, status);
    return 1;
}

int main(void) {
    int version = 0, status = 0;
    cufftHandle plan = 0;
    size_t bytes = 0;
    if ((status = cufftGetVersion(&version)) != CUFFT_SUCCESS || version < 11000)
        return fails("cufftGetVersion", status);
    if ((status = cufftCreate(&plan)) != CUFFT_SUCCESS) return fails("cufftCreate", status);
    if ((status = cufftMakePlan1d(plan, 0, CUFFT_C2C, 1, &bytes)) != CUFFT_INVALID_SIZE)
        return fails("cufftMakePlan1d of no points", status);
    status = cufftMakePlan1d(plan, 1000, CUFFT_C2C, 10, &bytes);
    if (status != CUFFT_SUCCESS && status != CUFFT_SETUP_FAILED) return fails("cufftMakePlan1d", status);
    printf(status == CUFFT_SUCCESS ? "planned\n" : "no GPU\n");
    if ((status = cufftDestroy(plan)) != CUFFT_SUCCESS) return fails("cufftDestroy", status);
    if ((status = cufftDestroy(plan)) != CUFFT_INVALID_PLAN) return fails("cufftDestroy again", status);
    return 0;
}
