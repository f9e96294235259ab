#include "gemm/micro_kernel.hpp"
#include "gemm/pack.hpp"
#include "ir/integers.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::gemm::test {
namespace {

/// Every way to take the bytes of A and B.
std::vector<Numbers> ways_of_bytes() {
    std::vector<Numbers> ways;
    const target::Extensions none, vnni{.dot_products_of_bytes = true};
    for (const Number a : {Number::int8, Number::uint8})
        for (const Number b : {Number::int8, Number::uint8})
            for (const auto& [cpu, extensions] : {std::pair{&target::sse2_cpu(), none},
                                                  {&target::avx512_cpu(), none},
                                                  {&target::avx512_cpu(), vnni}}) {
                MatrixProduct product{.number = Number::int32};
                product.a_number = a;
                product.b_number = b;
                ways.push_back(numbers_of(product, *cpu, extensions));
            }
    return ways;
}

TEST(Groups, AreChosenByNumbersAndCpu) {
    MatrixProduct product{.number = Number::float32};
    product.a_number = product.b_number = Number::bfloat16;
    const target::Extensions bf16{.dot_products_of_bfloat16 = true};
    EXPECT_EQ(numbers_of(product, target::avx512_cpu(), bf16).grouping.method, Method::bfloat16_pairs);
    EXPECT_EQ(numbers_of(product, target::avx512_cpu(), {}).grouping.method, Method::multiply_add);
    EXPECT_EQ(numbers_of(product, target::avx2_cpu(), bf16).grouping.method, Method::multiply_add);
    product.a_number = product.b_number = Number::float16;
    EXPECT_EQ(numbers_of(product, target::avx512_cpu(), bf16).grouping.method, Method::multiply_add);
    for (const Numbers& way : ways_of_bytes())
        EXPECT_EQ(way.grouping.correction != 0, way.grouping.method == Method::byte_quads && way.a == way.b);
}

/// A panel, packed by the interpreter, as it lies in memory, and the source that it was made from.
struct Packed {
    std::vector<Integer> panel;
    std::vector<Integer> source;
};

Packed packed(Pack pack_, Integer depth, Integer depth_stride, Integer stride) {
    const int group = pack_.grouping.group();
    pack_.rest = static_cast<int>(depth % group);
    pack_.most_depth = depth / group + 1;
    pack_.most_stride = 64;
    const ir::Program program = gemm::pack(pack_);
    ir::verify(program, ir::Stage::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(static_cast<unsigned>(depth + stride));
    ir::Memory& from = arguments["from"];
    Packed result;
    for (Integer i = 0; i < from.elements(); ++i) {
        const Integer number = ir::wrapped(from.element(), static_cast<Integer>(random()));
        from.set_integer(i, number);
        // Of bytes that are read as bits, the numbers that these are.
        result.source.push_back(ir::wrapped(scalar_of(*pack_.narrow), number));
    }
    const Integer together = steps_together(pack_), whole = depth / group;
    arguments.parameters = {whole / together * together, whole, depth_stride, stride};
    ir::interpret(program, arguments);
    const ir::Memory& to = arguments["to"];
    const bool has_sums = pack_.operand == Operand::b && pack_.grouping.correction != 0;
    const Integer groups = (depth + group - 1) / group + (has_sums ? 1 : 0);
    for (Integer i = 0; i < groups * pack_.width; ++i) result.panel.push_back(static_cast<Integer>(to[i]));
    return result;
}

/// The product of a packed A and a packed B, by the interpreter, is that of what they were packed from.
void expect_product(const Numbers& numbers, int lanes, Integer depth, Pack::Source source, int count) {
    const Tile tile{lanes, 1, 4};
    const Integer depth_stride = source == Pack::Source::along_depth ? 1 : 24;
    const Integer stride = source == Pack::Source::across_panel ? 1
                           : source == Pack::Source::neither    ? 2
                                                                : 30;
    const auto pack_of = [&](Number number, int width, bool is_b) {
        return Pack{.number = numbers.c,
                    .lanes = lanes,
                    .width = width,
                    .count = std::min(width, count),
                    .source = source,
                    .narrow = number,
                    .grouping = numbers.grouping,
                    .operand = is_b ? Operand::b : Operand::a,
                    .has_masks = lanes == 16};
    };
    const Packed a = packed(pack_of(numbers.a, tile.rows(), false), depth, depth_stride, stride);
    const Packed b = packed(pack_of(numbers.b, tile.columns, true), depth, depth_stride, stride);
    const Integer groups = (depth + numbers.grouping.group() - 1) / numbers.grouping.group();
    const int rows = std::min(tile.rows(), count), columns = std::min(tile.columns, count);
    const ir::Program program = micro_kernel({.number = numbers.c,
                                              .tile = tile,
                                              .rows = rows,
                                              .columns = columns,
                                              .unroll = 2,
                                              .update = Update::scale,
                                              .most_depth = groups,
                                              .most_stride = 64,
                                              .grouping = numbers.grouping});
    ir::verify(program, ir::Stage::vectorized);
    ir::Arguments arguments(program);
    arguments["a"].assign(a.panel);
    arguments["b"].assign(b.panel);
    arguments["factors"].assign(std::vector<Integer>{3, -5});
    ir::Memory& c = arguments["c"];
    for (Integer i = 0; i < c.elements(); ++i) c.set_integer(i, i * i);
    arguments.parameters = {groups / 2 * 2, groups, rows};
    ir::interpret(program, arguments);
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < rows; ++row) {
            Integer sum = 0;
            for (Integer step = 0; step < depth; ++step)
                sum += a.source[static_cast<std::size_t>(step * depth_stride + row * stride)] *
                       b.source[static_cast<std::size_t>(step * depth_stride + column * stride)];
            const Integer at = Integer{column} * rows + row;
            ASSERT_EQ(static_cast<Integer>(c[at]), ir::wrapped(ir::Scalar::int32, 3 * sum - 5 * at * at))
                << row << ", " << column << " of depth " << depth;
        }
}

TEST(Groups, OfBytesMultiplyExactlyFromEveryLayout) {
    for (const Numbers& numbers : ways_of_bytes())
        for (const int lanes : {4, 16})
            for (const Integer depth : {1, 2, 3, 4, 7, 37, 70})
                for (const Pack::Source source :
                     {Pack::Source::across_panel, Pack::Source::along_depth, Pack::Source::neither})
                    for (const int count : {lanes, 3}) expect_product(numbers, lanes, depth, source, count);
}

} // namespace
} // namespace swirl::gemm::test
