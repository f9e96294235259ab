#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/pack.hpp"
#include "ir/integers.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::gemm::test {
namespace k_groups_test {

/// Every way to take the bytes of A and B.
std::vector<OperandTypes> ways_of_bytes() {
    std::vector<OperandTypes> ways;
    const target::Extensions none, vnni{.dot_products_of_bytes = true};
    for (const DataType a : {DataType::int8, DataType::uint8})
        for (const DataType b : {DataType::int8, DataType::uint8})
            for (const auto& [cpu, extensions] : {std::pair{&target::sse2_cpu(), none},
                                                  {&target::avx512_cpu(), none},
                                                  {&target::avx512_cpu(), vnni}}) {
                MatrixProduct product{.data_type = DataType::int32};
                product.a_type = a;
                product.b_type = b;
                ways.push_back(operand_types_of(product, *cpu, extensions));
            }
    return ways;
}

TEST(Groups, AreChosenByDataTypesAndCpu) {
    MatrixProduct product{.data_type = DataType::float32};
    product.a_type = product.b_type = DataType::bfloat16;
    const target::Extensions bf16{.dot_products_of_bfloat16 = true};
    EXPECT_EQ(operand_types_of(product, target::avx512_cpu(), bf16).k_packing.method, Method::bfloat16_pairs);
    EXPECT_EQ(operand_types_of(product, target::avx512_cpu(), {}).k_packing.method, Method::multiply_add);
    EXPECT_EQ(operand_types_of(product, target::avx2_cpu(), bf16).k_packing.method, Method::multiply_add);
    product.a_type = product.b_type = DataType::float16;
    EXPECT_EQ(operand_types_of(product, target::avx512_cpu(), bf16).k_packing.method, Method::multiply_add);
    for (const OperandTypes& way : ways_of_bytes())
        EXPECT_EQ(way.k_packing.correction != 0,
                  way.k_packing.method == Method::byte_quads && way.a == way.b);
}

/// A panel, packed by the interpreter, as it lies in memory, and the source that it was made from.
struct Packed {
    std::vector<Integer> panel;
    std::vector<Integer> source;
};

Packed packed(Pack pack_, Integer k, Integer k_stride, Integer stride) {
    const int group = pack_.k_packing.k_group();
    pack_.rest = static_cast<int>(k % group);
    pack_.max_k = k / group + 1;
    pack_.max_stride = 64;
    const ir::Program program = gemm::pack(pack_);
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(static_cast<unsigned>(k + stride));
    ir::Memory& from = arguments["source"];
    Packed result;
    for (Integer i = 0; i < from.elements(); ++i) {
        const Integer value = ir::wrapped(from.element(), static_cast<Integer>(random()));
        from.set_integer(i, value);
        // The values of bytes read as bits.
        result.source.push_back(ir::wrapped(scalar_of(*pack_.source_type), value));
    }
    const Integer k_block = k_per_iteration(pack_), whole = k / group;
    arguments.parameters = {whole / k_block * k_block, whole, k_stride, stride};
    ir::interpret(program, arguments);
    const ir::Memory& to = arguments["packed"];
    const bool promotes_accumulators = pack_.operand == Operand::b && pack_.k_packing.correction != 0;
    const Integer groups = (k + group - 1) / group + (promotes_accumulators ? 1 : 0);
    for (Integer i = 0; i < groups * pack_.width; ++i) result.panel.push_back(static_cast<Integer>(to[i]));
    return result;
}

/// The product of a packed A and a packed B, by the interpreter, is that of what they were packed from.
void expect_product(const OperandTypes& types, int lanes, Integer k, Pack::Source source, int count) {
    const Tile tile{lanes, 1, 4};
    const Integer k_stride = source == Pack::Source::along_k ? 1 : 24;
    const Integer stride = source == Pack::Source::across_panel ? 1
                           : source == Pack::Source::neither    ? 2
                                                                : 30;
    const auto pack_of = [&](DataType data_type, int width, bool is_b) {
        return Pack{.data_type = types.c,
                    .lanes = lanes,
                    .width = width,
                    .count = std::min(width, count),
                    .source = source,
                    .source_type = data_type,
                    .k_packing = types.k_packing,
                    .operand = is_b ? Operand::b : Operand::a,
                    .has_masks = lanes == 16};
    };
    const Packed a = packed(pack_of(types.a, tile.rows(), false), k, k_stride, stride);
    const Packed b = packed(pack_of(types.b, tile.columns, true), k, k_stride, stride);
    const Integer groups = (k + types.k_packing.k_group() - 1) / types.k_packing.k_group();
    const int rows = std::min(tile.rows(), count), columns = std::min(tile.columns, count);
    const ir::Program program = micro_kernel({.data_type = types.c,
                                              .tile = tile,
                                              .rows = rows,
                                              .columns = columns,
                                              .unroll = 2,
                                              .update = Update::scale,
                                              .max_k = groups,
                                              .max_stride = 64,
                                              .k_packing = types.k_packing});
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    arguments["a"].assign(a.panel);
    arguments["b"].assign(b.panel);
    arguments["alpha_beta"].assign(std::vector<Integer>{3, -5});
    ir::Memory& c = arguments["c"];
    for (Integer i = 0; i < c.elements(); ++i) c.set_integer(i, i * i);
    arguments.parameters = {groups / 2 * 2, groups, rows};
    ir::interpret(program, arguments);
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < rows; ++row) {
            Integer sum = 0;
            for (Integer k_index = 0; k_index < k; ++k_index)
                sum += a.source[static_cast<std::size_t>(k_index * k_stride + row * stride)] *
                       b.source[static_cast<std::size_t>(k_index * k_stride + column * stride)];
            const Integer at = Integer{column} * rows + row;
            ASSERT_EQ(static_cast<Integer>(c[at]), ir::wrapped(DataType::int32, 3 * sum - 5 * at * at))
                << row << ", " << column << " of k = " << k;
        }
}

TEST(Groups, OfBytesMultiplyExactlyFromEveryLayout) {
    for (const OperandTypes& types : ways_of_bytes())
        for (const int lanes : {4, 16})
            for (const Integer k : {1, 2, 3, 4, 7, 37, 70})
                for (const Pack::Source source :
                     {Pack::Source::across_panel, Pack::Source::along_k, Pack::Source::neither})
                    for (const int count : {lanes, 3}) expect_product(types, lanes, k, source, count);
}

} // namespace k_groups_test
} // namespace swirl::gemm::test
