// With MKL: 500 columns of a matrix of 300 rows are transformed in place, and scaled.
#include <mkl_dfti.h>

#include <complex>
#include <cstdio>
#include <vector>

int main() {
    const MKL_LONG rows = 300, columns = 500, apart = 1;
    std::vector<std::complex<double>> matrix(rows * columns, 2.0);

    DFTI_DESCRIPTOR_HANDLE descriptor = nullptr;
    MKL_LONG strides[] = {0, columns};
    MKL_LONG status = DftiCreateDescriptor(&descriptor, DFTI_DOUBLE, DFTI_COMPLEX, 1, rows);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_NUMBER_OF_TRANSFORMS, columns);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_FWD_STRIDES, strides);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_BWD_STRIDES, strides);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_FWD_DISTANCE, apart);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_BWD_DISTANCE, apart);
    if (status == 0) status = DftiSetValue(descriptor, DFTI_FORWARD_SCALE, 1.0 / rows);
    if (status == 0) status = DftiCommitDescriptor(descriptor);
    if (status == 0) status = DftiComputeForward(descriptor, matrix.data());
    if (status != 0) {
        std::printf("%s\n", DftiErrorMessage(status));
        return 1;
    }

    std::printf("%.1f\n", matrix[42].real());
    DftiFreeDescriptor(&descriptor);
}
