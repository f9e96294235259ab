#pragma once

#include "gemm/scalar.hpp"
#include "ir/interpreter.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

/// Matrices of programs in the interpreter, and what they ought to become.
namespace swirl::gemm::test {

using Complex = std::complex<long double>;

/// Random values, exact in the program's type, in every element of a buffer.
inline void fill(ir::Memory& memory, std::mt19937& random) {
    std::uniform_int_distribution<int> uniform(-99, 99);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 64);
}

/// An element in a buffer of scalars, counted from index 0.
inline Complex element_at(const ir::Memory& memory, DataType data_type, Integer index) {
    if (!is_complex(data_type)) return memory[index];
    return {memory[2 * index], memory[2 * index + 1]};
}

/// Of one of a batch of matrices.
inline long double element(const ir::Memory& memory, const MatrixLayout& layout, Integer matrix, Integer i,
                           Integer j) {
    return memory[matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride];
}

/// What elements of a real product ought to be, from the memory that a kernel was given.
struct Definition {
    const MatrixProduct& product;
    const ir::Memory &a, &b, &factors;
    const ir::Memory* before = nullptr; ///< C, where it is read
    bool multiplies = true;
    long double (*factor_of)(long double) = [](long double value) { return value; };

    long double at(Integer matrix, Integer i, Integer j) const {
        long double result = 0;
        for (Integer k = 0; multiplies && k < product.k; ++k)
            result += factors[0] * factor_of(element(a, product.a, matrix, i, k)) *
                      factor_of(element(b, product.b, matrix, k, j));
        if (before != nullptr) result += factors[1] * element(*before, product.c, matrix, i, j);
        return result;
    }
};

/// What is between elements of C stays as it was.
inline void expect_gaps_kept(const MatrixProduct& product, const ir::Memory& before,
                             const ir::Memory& after) {
    std::vector<bool> is_element(static_cast<std::size_t>(after.elements()));
    const Integer scalars = scalars_in(product.type_of_c());
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j)
                for (Integer k = 0; k < scalars; ++k) {
                    const Integer at = matrix * product.c.batch_stride + i * product.c.row_stride +
                                       j * product.c.column_stride;
                    is_element[static_cast<std::size_t>(scalars * at + k - after.first())] = true;
                }
    for (Integer i = after.first(); i < after.first() + after.elements(); ++i) {
        if (is_element[static_cast<std::size_t>(i - after.first())]) continue;
        ASSERT_EQ(after.is_written(i), before.is_written(i)) << "outside C, at " << i;
        if (before.is_written(i)) {
            ASSERT_EQ(after[i], before[i]) << "outside C, at " << i;
        }
    }
}

/// Rounding error bound for sums of this many products of values below 2 in float32 or float64.
inline long double tolerance(DataType data_type, Integer k) {
    const long double epsilon = scalar_of(data_type) == DataType::float32 ? 0x1p-23L : 0x1p-52L;
    return epsilon * 16 * static_cast<long double>(k + 4);
}

} // namespace swirl::gemm::test
