#include "gemm/cpu/micro_kernel.hpp"

#include "gemm/cpu/pack.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace micro_kernel_test {

constexpr DataType data_types[] = {DataType::float32, DataType::float64, DataType::complex64,
                                   DataType::complex128};

/// Index in a packed panel of a component of a row's or column's element.
Integer packed_place(DataType data_type, Integer k_index, int width, int component, int at) {
    return scalars_in(data_type) * width * k_index + component * width + at;
}

Complex packed_element(const ir::Memory& memory, DataType data_type, Integer k_index, int width, int at) {
    const long double real = memory[packed_place(data_type, k_index, width, 0, at)];
    return is_complex(data_type) ? Complex(real, memory[packed_place(data_type, k_index, width, 1, at)])
                                 : real;
}

void expect_product(const MicroKernel& kernel, Integer k) {
    const ir::Program program = micro_kernel(kernel);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(static_cast<unsigned>(k));
    const DataType data_type = kernel.data_type;
    ir::Memory* const c = &arguments["c"];
    for (const char* name : {"a", "b", "alpha_beta"}) fill(arguments[name], random);
    if (kernel.update != Update::overwrite) fill(*c, random); // else it may not be read
    std::vector<Complex> before;
    for (Integer i = 0; i < Integer{kernel.rows} * kernel.columns; ++i)
        before.push_back(kernel.update == Update::overwrite ? Complex(0) : element_at(*c, data_type, i));
    arguments.parameters = {k / kernel.unroll * kernel.unroll, k, kernel.rows};
    ir::interpret(program, arguments);
    const Complex alpha = element_at(arguments["alpha_beta"], data_type, 0);
    const Complex beta = kernel.update == Update::add ? 1 : element_at(arguments["alpha_beta"], data_type, 1);
    for (int column = 0; column < kernel.columns; ++column)
        for (int row = 0; row < kernel.rows; ++row) {
            Complex sum = 0;
            for (Integer k_index = 0; k_index < k; ++k_index)
                sum += packed_element(arguments["a"], data_type, k_index, kernel.tile.rows(), row) *
                       packed_element(arguments["b"], data_type, k_index, kernel.tile.columns, column);
            const Integer at = Integer{column} * kernel.rows + row;
            const Complex expected = alpha * sum + beta * before[static_cast<std::size_t>(at)];
            EXPECT_LE(std::abs(element_at(*c, data_type, at) - expected), tolerance(data_type, k))
                << row << ", " << column;
        }
}

TEST(MicroKernel, MultipliesItsPanelsForEveryTile) {
    for (const DataType data_type : data_types)
        for (const Update update : {Update::overwrite, Update::add, Update::scale})
            for (const int lanes : {1, 2, 4})
                for (const Integer k : {1, 4, 9})
                    expect_product({.data_type = data_type,
                                    .tile = {lanes, 2, 3},
                                    .rows = 2 * lanes,
                                    .columns = 3,
                                    .update = update,
                                    .max_k = 9,
                                    .max_stride = 9},
                                   k);
}

TEST(MicroKernel, TouchesOnlyTheRowsAndColumnsThatThereAre) {
    for (const DataType data_type : data_types)
        for (int rows = 1; rows <= 8; ++rows)
            for (int columns = 1; columns <= 2; ++columns)
                expect_product({.data_type = data_type,
                                .tile = {4, 2, 2},
                                .rows = rows,
                                .columns = columns,
                                .unroll = 1 + rows % 3,
                                .update = Update::scale,
                                .max_k = 7,
                                .max_stride = 9},
                               5);
}

TEST(MicroKernel, RejectsTilesLargerThanPanels) {
    EXPECT_THROW(micro_kernel({.tile = {4, 1, 2}, .rows = 5, .columns = 2}), InternalError);
    EXPECT_THROW(micro_kernel({.tile = {4, 1, 2}, .rows = 4, .columns = 3}), InternalError);
}

void expect_packed(const Pack& pack_, Integer k, Integer k_stride, Integer stride) {
    const ir::Program program = gemm::pack(pack_);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(7);
    ir::Memory* const from = &arguments["source"];
    fill(*from, random);
    const int k_block = k_per_iteration(pack_);
    arguments.parameters = {k / k_block * k_block, k, k_stride, stride};
    ir::interpret(program, arguments);
    for (Integer k_index = 0; k_index < k; ++k_index)
        for (int row = 0; row < pack_.width; ++row) {
            Complex expected = 0;
            if (row < pack_.count)
                expected = element_at(*from, pack_.data_type, k_index * k_stride + row * stride);
            if (pack_.conjugated) expected = std::conj(expected);
            EXPECT_EQ(packed_element(arguments["packed"], pack_.data_type, k_index, pack_.width, row),
                      expected)
                << k_index << ", " << row;
        }
}

TEST(Pack, BringsEveryLayoutIntoPanels) {
    for (const DataType data_type : data_types)
        for (const int width : {4, 6, 8})
            for (const int count : {1, width - 1, width})
                for (const Integer k : {1, 3, 4, 11}) {
                    Pack pack{.data_type = data_type, .lanes = 4, .width = width, .count = count};
                    pack.max_k = 11;
                    pack.max_stride = 40;
                    pack.conjugated = is_complex(data_type) && k % 2 == 1;
                    pack.source = Pack::Source::across_panel;
                    expect_packed(pack, k, 13, 1);
                    pack.source = Pack::Source::along_k;
                    expect_packed(pack, k, 1, 12);
                    pack.source = Pack::Source::neither;
                    expect_packed(pack, k, 3, 40);
                }
}

} // namespace micro_kernel_test
} // namespace swirl::gemm::test
