#include "gemm/cpu/small_gemm.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace small_gemm_test {

/// Element (i, j), conjugated where the layout says so.
Complex element(const ir::Memory& memory, DataType data_type, const MatrixLayout& layout, Integer i,
                Integer j) {
    const Complex value = element_at(memory, data_type, i * layout.row_stride + j * layout.column_stride);
    return layout.conjugated ? std::conj(value) : value;
}

void expect_product(const SmallGemm& small, unsigned seed) {
    const MatrixProduct& product = small.product;
    const DataType data_type = product.data_type;
    const ir::Program program = small_gemm(small);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(seed);
    for (const char* name : {"a", "b", "alpha", "beta"}) fill(arguments[name], random);
    if (small.alpha_is_one)
        for (int component = 0; component < scalars_in(data_type); ++component)
            arguments["alpha"].set(component, component == 0 ? 1 : 0);
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

MatrixLayout layout(Integer rows, Integer columns, unsigned which, bool conjugated) {
    switch (which % 4) {
    case 0: return {.row_stride = 1, .column_stride = rows, .conjugated = conjugated};
    case 1: return {.row_stride = columns + 1, .column_stride = 1, .conjugated = conjugated};
    case 2: return {.row_stride = 2, .column_stride = 2 * rows + 1, .conjugated = conjugated};
    default: return {.row_stride = -1, .column_stride = -rows - 2, .conjugated = conjugated};
    }
}

TEST(SmallGemm, IsTheProductForEveryLayoutUpdateAndRemainder) {
    unsigned seed = 0;
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type :
             {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
            for (int trial = 0; trial < 16; ++trial) {
                ++seed;
                std::mt19937 random(seed);
                const auto up_to = [&](unsigned n) { return static_cast<Integer>(1 + random() % n); };
                MatrixProduct product{
                    .data_type = data_type, .rows = up_to(40), .columns = up_to(20), .k = up_to(30)};
                const bool conjugates = is_complex(data_type);
                product.a = layout(product.rows, product.k, seed, conjugates && seed % 3 == 0);
                product.b = layout(product.k, product.columns, seed / 4, conjugates && seed % 5 < 2);
                product.c = {.row_stride = 1, .column_stride = product.rows + seed % 2};
                SmallGemm small = model_small_gemm(product, static_cast<Update>(seed % 3), seed % 4 != 0,
                                                   std::min<Integer>(product.k, 8 + seed % 20), *cpu);
                small.rows_outermost = seed % 2 == 0;
                small.prefetch_a = small.prefetch_c = seed % 3 == 1;
                small.unroll = 1 + static_cast<int>(seed % 9);
                expect_product(small, seed);
            }
}

TEST(SmallGemm, TilesFitTheRegisters) {
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type :
             {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128})
            for (Integer extent = 1; extent <= 128; extent += 3) {
                const MatrixProduct product{
                    .data_type = data_type, .rows = extent, .columns = extent, .k = extent};
                const SmallGemm small = model_small_gemm(product, Update::overwrite, true, extent, *cpu);
                const int components = scalars_in(data_type);
                EXPECT_LT(components * small.tile.vectors * (small.tile.columns + 1), cpu->vector_registers)
                    << cpu->name << " " << extent;
            }
}

} // namespace small_gemm_test
} // namespace swirl::gemm::test
