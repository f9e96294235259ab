#pragma once

#include <complex>
#include <cstdint>
#include <vector>

/// FFTW's transforms by their definitions, in long double.
namespace swirl::test {

using Number = std::complex<long double>;
using Numbers = std::vector<Number>;

/// Row-major data: each axis with its length.
using Lengths = std::vector<std::int64_t>;

/// The matrix of one dimension.
struct Matrix {
    std::int64_t rows;
    std::int64_t columns;
    Numbers entries; ///< row-major
};
Matrix dft_matrix(std::int64_t n, int sign);
/// One of FFTW's kinds of r2r.
Matrix r2r_matrix(int kind, std::int64_t n);

/// The data with one axis multiplied by a matrix; the axis gets the number of its rows.
Numbers multiplied(const Numbers& data, Lengths& lengths, std::size_t axis, const Matrix& matrix);

/// The first n/2 + 1 elements of an axis.
Numbers half_of(const Numbers& data, Lengths& lengths, std::size_t axis);

} // namespace swirl::test
