#include "plan/portable/gemm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <vector>

namespace swirl::planning {
namespace portable_gemm_test {

/// Products of small integers are exact, so all kernels agree in every bit.
template <class T>
void expect_same(DataType data_type, Integer rows, Integer columns, Integer k_extent, T beta) {
    MatrixProduct product = MatrixProduct::column_major(data_type, rows, columns, k_extent);
    product.a = {.row_stride = k_extent, .column_stride = 1};
    product.c = {.row_stride = 2, .column_stride = 2 * rows + 1};
    const auto elements = [](Integer count, int seed) {
        std::vector<T> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = T(static_cast<float>((i * 7 + static_cast<std::size_t>(seed)) % 11) - 5);
        return values;
    };
    const std::vector<T> a = elements(rows * k_extent, 1), b = elements(k_extent * columns, 2);
    std::vector<T> c = elements((2 * rows + 1) * columns, 3), expected = c;
    const T alpha(2);
    for (Integer i = 0; i < rows; ++i)
        for (Integer j = 0; j < columns; ++j) {
            T sum(0);
            for (Integer k = 0; k < k_extent; ++k)
                sum += a[static_cast<std::size_t>(i * k_extent + k)] *
                       b[static_cast<std::size_t>(k + j * k_extent)];
            T& element = expected[static_cast<std::size_t>(2 * i + j * (2 * rows + 1))];
            element = alpha * sum + beta * element;
        }
    multiply_portable(product, {&alpha, a.data(), b.data(), &beta, c.data()});
    EXPECT_EQ(c, expected) << rows << " by " << columns << " by " << k_extent;
}

TEST(PortableGemm, ComputesByTheBuiltInTiles) {
    for (const auto& [rows, columns, k_extent] :
         {std::array<Integer, 3>{1, 1, 1}, {4, 4, 4}, {5, 7, 3}, {70, 9, 300}, {3, 66, 513}}) {
        expect_same<float>(DataType::float32, rows, columns, k_extent, 0);
        expect_same<double>(DataType::float64, rows, columns, k_extent, 1);
        expect_same<std::complex<float>>(DataType::complex64, rows, columns, k_extent, 3);
        expect_same<std::complex<double>>(DataType::complex128, rows, columns, k_extent, 0);
    }
}

} // namespace portable_gemm_test
} // namespace swirl::planning
