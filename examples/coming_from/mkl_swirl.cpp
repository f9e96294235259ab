// With swirl: 500 columns of a matrix of 300 rows are transformed in place, and scaled.
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdio>
#include <vector>

int main() {
    const std::size_t rows = 300, columns = 500;
    std::vector<std::complex<double>> matrix(rows * columns, 2.0);

    swirl::plan("dft 300 strides=500 batch=500:1 inplace scale=1/300").execute(matrix, matrix);

    std::printf("%.1f\n", matrix[42].real());
}
