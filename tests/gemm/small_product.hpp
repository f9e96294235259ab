#pragma once

#include "gemm/cpu/small_gemm.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

/// Small products in the interpreter against their definition.
namespace swirl::gemm::test {

/// Element (i, j), conjugated where the layout says so.
inline Complex element(const ir::Memory& memory, DataType data_type, const MatrixLayout& layout, Integer i,
                       Integer j) {
    const Complex value = element_at(memory, data_type, i * layout.row_stride + j * layout.column_stride);
    return layout.conjugated ? std::conj(value) : value;
}

inline void expect_product(const SmallGemm& small, unsigned seed) {
    const MatrixProduct& product = small.product;
    const DataType data_type = product.data_type;
    const ir::Program program = small_gemm(small);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(seed);
    for (const char* name : {"a", "b", "alpha", "beta"}) fill(arguments[name], random);
    if (small.alpha_is_one)
        for (int part = 0; part < scalars_in(data_type); ++part)
            arguments["alpha"].set(part, part == 0 ? 1 : 0);
    std::vector<Complex> before(static_cast<std::size_t>(product.rows * product.columns));
    if (small.update != Update::overwrite) { // else it may not be read
        fill(arguments["c"], random);
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j)
                before[static_cast<std::size_t>(i * product.columns + j)] =
                    element(arguments["c"], data_type, product.c, i, j);
    }
    ir::interpret(program, arguments);
    const Complex alpha = element_at(arguments["alpha"], data_type, 0);
    const Complex beta = small.update == Update::add ? 1 : element_at(arguments["beta"], data_type, 0);
    for (Integer i = 0; i < product.rows; ++i)
        for (Integer j = 0; j < product.columns; ++j) {
            Complex sum = 0;
            for (Integer k = 0; k < product.k; ++k)
                sum += element(arguments["a"], data_type, product.a, i, k) *
                       element(arguments["b"], data_type, product.b, k, j);
            const Complex expected =
                alpha * sum + beta * before[static_cast<std::size_t>(i * product.columns + j)];
            ASSERT_LE(std::abs(element(arguments["c"], data_type, product.c, i, j) - expected),
                      tolerance(data_type, product.k))
                << i << ", " << j << " of " << product.rows << " by " << product.columns << " by "
                << product.k;
        }
}

inline MatrixLayout layout(Integer rows, Integer columns, unsigned which, bool conjugated) {
    switch (which % 4) {
    case 0: return {.row_stride = 1, .column_stride = rows, .conjugated = conjugated};
    case 1: return {.row_stride = columns + 1, .column_stride = 1, .conjugated = conjugated};
    case 2: return {.row_stride = 2, .column_stride = 2 * rows + 1, .conjugated = conjugated};
    default: return {.row_stride = -1, .column_stride = -rows - 2, .conjugated = conjugated};
    }
}

} // namespace swirl::gemm::test
