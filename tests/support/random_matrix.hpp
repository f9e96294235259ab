#pragma once

#include <swirl/matrix_product.hpp>

#include <algorithm>
#include <complex>
#include <random>
#include <vector>

/// Random matrices for tests of GEMM on CPUs.
namespace swirl::support {

template <class T> struct RealOf { using type = T; };
template <class R> struct RealOf<std::complex<R>> { using type = R; };

/// Offset of an element from the first one; 0 if the matrix has none.
inline std::size_t offset_in(const MatrixLayout& layout, Integer matrix, Integer i, Integer j) {
    return static_cast<std::size_t>(std::max<Integer>(
        0, matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride));
}

/// Multiples of 1/128 from -1 to 1.
template <class Real> Real random_real(std::mt19937& random) {
    return static_cast<Real>(static_cast<int>(random() % 257) - 128) / 128;
}

template <class T> T random_value(std::mt19937& random) {
    using Real = typename RealOf<T>::type;
    if constexpr (sizeof(T) == sizeof(Real)) {
        return random_real<Real>(random);
    } else {
        const Real re = random_real<Real>(random);
        return {re, random_real<Real>(random)};
    }
}

/// All matrices of a batch, and the gaps between them.
template <class T>
std::vector<T> random_matrices(std::mt19937& random, const MatrixLayout& layout, Integer batch, Integer rows,
                               Integer columns) {
    std::vector<T> values(offset_in(layout, batch - 1, rows - 1, columns - 1) + 1);
    for (T& value : values) value = random_value<T>(random);
    return values;
}

} // namespace swirl::support
