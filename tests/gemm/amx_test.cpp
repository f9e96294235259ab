#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/amx_pack.hpp"
#include "ir/integers.hpp"
#include "ir/interpreter.hpp"
#include "ir/rounding.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace swirl::gemm::test {
namespace amx_test {

/// Index in a panel of bf16 split term `slice` at a k index of a member.
Integer index_in_panel(Operand operand, int terms, Integer k_index, int term, int member) {
    const Integer pair = k_index % 16, second = k_index / 16 % 2;
    const Integer within = operand == Operand::a ? 32 * pair + 2 * (member % 16) + second
                                                 : 32 * (member % 16) + 2 * pair + second;
    return amx_panel_bytes(terms, k_index / 32) / 2 + (2 * term + member / 16) * 512 + within;
}

struct Shape {
    Bf16Split product;
    int rows, columns;
    Integer tiles, groups;
    Update update;
};

void expect_tiles(const Shape& shape) {
    const Integer stride = amx_tile * shape.tiles + 3;
    const ir::Program program = amx_kernel({.product = shape.product,
                                            .rows = shape.rows,
                                            .columns = shape.columns,
                                            .update = shape.update,
                                            .columns_at_once = columns_at_once(shape.groups),
                                            .k_groups_per_panel = shape.groups,
                                            .max_tiles = shape.tiles,
                                            .max_stride = stride});
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(5);
    std::uniform_int_distribution<int> any(-8, 8);
    for (const char* name : {"a", "b"})
        for (Integer i = 0; i < arguments[name].elements(); ++i) arguments[name].set(i, any(random));
    arguments["alpha_beta"].set(0, 2);
    arguments["alpha_beta"].set(1, 3);
    ir::Memory& c = arguments["c"];
    if (shape.update != Update::overwrite)
        for (Integer i = 0; i < c.elements(); ++i) c.set(i, any(random));
    ir::Arguments before(program);
    if (shape.update != Update::overwrite)
        for (Integer i = 0; i < c.elements(); ++i) before["c"].set(i, c[i]);
    arguments.parameters = {shape.tiles, shape.groups, stride};
    ir::interpret(program, arguments);
    const int terms = shape.product.terms;
    const long double kept = shape.update == Update::add ? 1 : shape.update == Update::scale ? 3 : 0;
    for (Integer tile = 0; tile < shape.tiles; ++tile)
        for (int column = 0; column < shape.columns; ++column)
            for (int row = 0; row < shape.rows; ++row) {
                long double sum = 0;
                for (const auto& pass : shape.product.passes)
                    for (const Bf16Split::Pair& pair : pass)
                        for (Integer k_index = 0; k_index < shape.groups * 32; ++k_index)
                            sum += arguments["a"][tile * amx_panel_bytes(terms, shape.groups) / 2 +
                                                  index_in_panel(Operand::a, terms, k_index, pair.a, row)] *
                                   arguments["b"][index_in_panel(Operand::b, terms, k_index, pair.b, column)];
                const Integer at = tile * amx_tile + row + column * stride;
                const long double old = kept == 0 ? 0 : before["c"][at];
                EXPECT_EQ(c[at], 2 * sum + kept * old) << tile << ": " << row << ", " << column;
            }
}

TEST(AmxKernel, AddsTheProductsOfItsSlicesToEveryTile) {
    expect_tiles({bf16x1(), 32, 32, 2, 2, Update::overwrite});
    expect_tiles({bf16x2(), 17, 32, 1, 1, Update::add});
    expect_tiles({bf16x3(), 32, 16, 2, 1, Update::scale});
}

TEST(AmxKernel, TouchesOnlyTheRowsAndColumnsThatThereAre) {
    for (const int rows : {1, 15, 16, 31})
        for (const int columns : {1, 16, 27}) expect_tiles({bf16x1(), rows, columns, 2, 3, Update::add});
}

struct Source {
    Pack::Source kind;
    Integer k_stride, stride;
};

void expect_packed(Operand operand, DataType scalar, int terms, int count, const Source& source, Integer k,
                   bool is_scaled) {
    const ir::Program program = amx_pack({.operand = operand,
                                          .from = scalar,
                                          .terms = terms,
                                          .count = count,
                                          .source = source.kind,
                                          .is_scaled = is_scaled,
                                          .max_k = k,
                                          .max_stride = 70});
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-2, 2);
    ir::Memory& from = arguments["source"];
    for (Integer i = 0; i < from.elements(); ++i)
        from.set(i, static_cast<long double>(ir::round_to(scalar, static_cast<double>(uniform(random)))));
    const long double scale = is_scaled ? 0.25L : 1;
    if (is_scaled) arguments["scale"].set(0, scale);
    arguments.parameters = {k / 32 * 32, k, source.k_stride, source.stride};
    ir::interpret(program, arguments);
    for (int member = 0; member < (count > 16 ? 32 : 16); ++member)
        for (Integer k_index = 0; k_index < (k + 32 - 1) / 32 * 32; ++k_index) {
            const bool is_there = member < count && k_index < k;
            const long double x =
                is_there ? scale * from[k_index * source.k_stride + member * source.stride] : 0;
            long double left = x;
            for (int term = 0; term < terms; ++term) {
                const long double found =
                    arguments["packed"][index_in_panel(operand, terms, k_index, term, member)];
                EXPECT_LE(std::fabs(found - left), std::ldexp(std::fabs(left), -8))
                    << member << ", " << k_index;
                left -= found;
            }
            const bool is_exact = terms == 3 || scalar == DataType::bfloat16;
            EXPECT_LE(std::fabs(left), is_exact ? 0 : std::ldexp(std::fabs(x), -8 * terms));
        }
}

TEST(AmxPack, SupportsEveryLayout) {
    const Source sources[] = {
        {Pack::Source::across_panel, 37, 1}, {Pack::Source::along_k, 1, 70}, {Pack::Source::neither, 2, 67}};
    for (const Operand operand : {Operand::a, Operand::b})
        for (const Source& source : sources)
            for (const int count : {5, 32}) {
                for (const int terms : {1, 2, 3})
                    expect_packed(operand, DataType::float32, terms, count, source, 69, terms == 2);
                expect_packed(operand, DataType::bfloat16, 1, count, source, 69, false);
            }
}

/// The byte at a k index of a member in a panel of bytes.
std::int64_t byte_at(const ir::Memory& panel, Operand operand, Integer k_index, int member, bool is_signed) {
    const Integer quad = k_index % 16, byte = k_index / 16 % 4, group = k_index / 64;
    const Integer within = operand == Operand::a ? 16 * quad + member % 16 : 16 * (member % 16) + quad;
    const auto word = static_cast<std::int64_t>(panel[(2 * group + member / 16) * 256 + within]);
    const std::uint8_t found = ir::byte_of(word, static_cast<int>(byte));
    return is_signed ? static_cast<std::int8_t>(found) : std::int64_t{found};
}

TEST(AmxKernel, AddsTheProductsOfBytesOfEveryKind) {
    for (const DataType a : {DataType::int8, DataType::uint8})
        for (const DataType b : {DataType::int8, DataType::uint8}) {
            const int rows = 20, columns = 17;
            const ir::Program program = amx_kernel({.types = {a, b},
                                                    .rows = rows,
                                                    .columns = columns,
                                                    .update = Update::add,
                                                    .columns_at_once = columns_at_once(2),
                                                    .k_groups_per_panel = 2,
                                                    .max_stride = rows});
            ir::verify(program, ir::VerificationLevel::vectorized);
            ir::Arguments arguments(program);
            std::mt19937 random(9);
            for (const char* name : {"a", "b"})
                for (Integer i = 0; i < arguments[name].elements(); ++i)
                    arguments[name].set_integer(i, static_cast<std::int32_t>(random()));
            arguments["alpha_beta"].set_integer(0, 3);
            arguments["alpha_beta"].set_integer(1, 1);
            for (Integer i = 0; i < arguments["c"].elements(); ++i) arguments["c"].set_integer(i, 7);
            arguments.parameters = {1, 2, rows};
            ir::interpret(program, arguments);
            for (int column = 0; column < columns; ++column)
                for (int row = 0; row < rows; ++row) {
                    std::int64_t sum = 0;
                    for (Integer k_index = 0; k_index < 128; ++k_index)
                        sum += byte_at(arguments["a"], Operand::a, k_index, row, a == DataType::int8) *
                               byte_at(arguments["b"], Operand::b, k_index, column, b == DataType::int8);
                    EXPECT_EQ(arguments["c"][row + column * rows], static_cast<long double>(3 * sum + 7));
                }
        }
}

/// max(−100, x·0.25 + e0[column]), as float32.
Epilogue dequantisation() {
    using Op = loops::Pointwise::Op;
    Epilogue epilogue;
    epilogue.operands = {{false, 0, 1}};
    epilogue.nodes = {{.op = Op::x},
                      {.op = Op::constant, .constant = 0.25L},
                      {.op = Op::multiply, .operands = {0, 1}},
                      {.op = Op::array, .array = 0},
                      {.op = Op::add, .operands = {2, 3}},
                      {.op = Op::constant, .constant = -100},
                      {.op = Op::less, .operands = {4, 5}},
                      {.op = Op::choose, .operands = {6, 5, 4}}};
    return epilogue;
}

TEST(AmxKernel, FinishesProductsOfBytesAsFloats) {
    const int rows = 20, columns = 17;
    const ir::Program program = amx_kernel({.types = {DataType::int8, DataType::uint8},
                                            .rows = rows,
                                            .columns = columns,
                                            .update = Update::add,
                                            .columns_at_once = columns_at_once(2),
                                            .k_groups_per_panel = 2,
                                            .max_stride = rows,
                                            .epilogue = dequantisation()});
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(9);
    for (const char* name : {"a", "b"})
        for (Integer i = 0; i < arguments[name].elements(); ++i)
            arguments[name].set_integer(i, static_cast<std::int32_t>(random()));
    arguments["alpha_beta"].set_integer(0, 1);
    arguments["alpha_beta"].set_integer(1, 1);
    for (Integer i = 0; i < arguments["c"].elements(); ++i) arguments["c"].set_integer(i, 7);
    for (Integer i = 0; i < columns; ++i) arguments["auxiliary_0"].set(i, i * 0.5L - 3);
    arguments.parameters = {1, 2, rows};
    ir::interpret(program, arguments);
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < rows; ++row) {
            std::int64_t sum = 7;
            for (Integer k_index = 0; k_index < 128; ++k_index)
                sum += byte_at(arguments["a"], Operand::a, k_index, row, true) *
                       byte_at(arguments["b"], Operand::b, k_index, column, false);
            const long double x = 0.25L * static_cast<long double>(sum) + (column * 0.5L - 3);
            EXPECT_EQ(arguments["epilogue_output"][row + column * rows], std::max(-100.0L, x));
        }
}

TEST(AmxPack, BringsBytesIntoWords) {
    for (const Operand operand : {Operand::a, Operand::b})
        for (const Source& source : {Source{Pack::Source::across_panel, 37, 1},
                                     {Pack::Source::along_k, 1, 140},
                                     {Pack::Source::neither, 2, 67}})
            for (const int count : {5, 32}) {
                const Integer k = 133;
                const ir::Program program = amx_pack({.operand = operand,
                                                      .from = DataType::uint8,
                                                      .count = count,
                                                      .source = source.kind,
                                                      .max_k = k,
                                                      .max_stride = 140});
                ir::verify(program, ir::VerificationLevel::vectorized);
                ir::Arguments arguments(program);
                std::mt19937 random(3);
                ir::Memory& from = arguments["source"];
                for (Integer i = 0; i < from.elements(); ++i) from.set_integer(i, random() & 255);
                arguments.parameters = {k / 64 * 64, k, source.k_stride, source.stride};
                ir::interpret(program, arguments);
                for (int member = 0; member < (count > 16 ? 32 : 16); ++member)
                    for (Integer k_index = 0; k_index < 192; ++k_index) {
                        const bool is_there = member < count && k_index < k;
                        const long double x =
                            is_there ? from[k_index * source.k_stride + member * source.stride] : 0;
                        EXPECT_EQ(byte_at(arguments["packed"], operand, k_index, member, false),
                                  static_cast<std::int64_t>(x));
                    }
            }
}

} // namespace amx_test
} // namespace swirl::gemm::test
