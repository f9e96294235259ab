#include "gemm/cpu/dot_gemm.hpp"

#include "small_product.hpp"

#include <gtest/gtest.h>

#include <array>

namespace swirl::gemm::test {
namespace dot_gemm_test {

constexpr DataType data_types[] = {DataType::float32, DataType::float64, DataType::complex64,
                                   DataType::complex128};

TEST(DotGemm, IsTheProductForEveryLayoutUpdateAndRemainder) {
    unsigned seed = 0;
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type : data_types)
            for (int trial = 0; trial < 24; ++trial) {
                ++seed;
                std::mt19937 random(seed);
                const auto up_to = [&](unsigned n) { return static_cast<Integer>(1 + random() % n); };
                MatrixProduct product{
                    .data_type = data_type, .rows = up_to(11), .columns = up_to(11), .k = up_to(90)};
                const bool conjugates = is_complex(data_type);
                product.a = layout(product.rows, product.k, 1 + seed, conjugates && seed % 3 == 0);
                product.b = layout(product.k, product.columns, seed / 4, conjugates && seed % 5 < 2);
                product.c = {.row_stride = 1, .column_stride = product.rows + seed % 2};
                DotGemm schedule = model_dot(product, *cpu);
                schedule.rows_outermost = seed % 2 == 0;
                if (seed % 3 == 0) schedule.kc = std::min<Integer>(product.k, 2 * schedule.lanes);
                if (seed % 7 == 0) schedule.unroll = schedule.chains;
                expect_product({.product = product,
                                .update = static_cast<Update>(seed % 3),
                                .alpha_is_one = seed % 4 != 0,
                                .schedule = schedule},
                               seed);
            }
}

TEST(DotGemm, ModelFitsTheRegisters) {
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type : data_types)
            for (const Integer k : {1, 3, 8, 40, 5000})
                for (Integer rows = 1; rows <= 40; rows += 3)
                    for (const Integer columns : {1, 2, 3, 5, 8, 100}) {
                        const MatrixProduct product =
                            MatrixProduct::column_major(data_type, rows, columns, k);
                        const DotGemm schedule = model_dot(product, *cpu);
                        EXPECT_LE(dot_registers(schedule, data_type), cpu->vector_registers)
                            << cpu->name << " " << rows << " " << columns << " " << k;
                        if (cpu->set != target::InstructionSet::portable && !cpu->emitted_only) {
                            EXPECT_NO_THROW(require_suitable({schedule}, *cpu, product));
                        }
                    }
}

/// A product's C as the interpreter computes it from pseudo-random operands that depend on row, column and k alone.
std::vector<long double> results_of(const SmallGemm& small, Integer first_row, Integer first_column) {
    const ir::Program program = small_gemm(small);
    ir::Arguments arguments(program);
    const MatrixProduct& product = small.product;
    const auto value = [](Integer line, Integer k) {
        return static_cast<float>((line * 7919 + k * 104729) % 1009) / 1013.0F;
    };
    for (Integer k = 0; k < product.k; ++k) {
        for (Integer i = 0; i < product.rows; ++i)
            arguments["a"].set(i * product.a.row_stride + k * product.a.column_stride,
                               value(first_row + i, k));
        for (Integer j = 0; j < product.columns; ++j)
            arguments["b"].set(k * product.b.row_stride + j * product.b.column_stride,
                               value(1000 + first_column + j, k));
    }
    arguments["alpha"].set(0, 1);
    ir::interpret(program, arguments);
    std::vector<long double> results;
    for (Integer j = 0; j < product.columns; ++j)
        for (Integer i = 0; i < product.rows; ++i)
            results.push_back(arguments["c"][i + j * product.c.column_stride]);
    return results;
}

TEST(DotGemm, BitsOfAnElementDoNotDependOnTheTile) {
    const auto product = [](Integer rows, Integer columns) {
        MatrixProduct result = MatrixProduct::column_major(DataType::float32, rows, columns, 147);
        result.a = {.row_stride = 147, .column_stride = 1};
        return result;
    };
    const MatrixProduct whole = product(11, 7);
    SmallGemm small{.product = whole, .schedule = DotGemm{4, 3, 16, 2, 2, 64, true}};
    const std::vector<long double> expected = results_of(small, 0, 0);
    for (const auto& [row, column, rows, columns] :
         {std::array<Integer, 4>{0, 0, 11, 7}, {3, 2, 8, 5}, {10, 0, 1, 7}, {5, 6, 6, 1}, {4, 4, 1, 1}})
        for (const auto& [tile_rows, tile_columns] : {std::array{1, 1}, {3, 2}, {6, 1}, {2, 5}}) {
            small.product = product(rows, columns);
            small.schedule = DotGemm{tile_rows, tile_columns, 16, 2, 2, 64, false};
            const std::vector<long double> results = results_of(small, row, column);
            for (Integer j = 0; j < columns; ++j)
                for (Integer i = 0; i < rows; ++i)
                    EXPECT_EQ(results[static_cast<std::size_t>(j * rows + i)],
                              expected[static_cast<std::size_t>((column + j) * 11 + row + i)])
                        << tile_rows << " by " << tile_columns << ", " << row + i << ", " << column + j;
        }
}

} // namespace dot_gemm_test
} // namespace swirl::gemm::test
