#include "gemm/loop_nest.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace {

/// Runs the nest in the interpreter; C begins as what nobody has written.
void expect_product(const LoopNest& nest, unsigned seed) {
    const MatrixProduct& product = nest.product;
    const ir::Program program = loop_nest(nest);
    ir::verify(program, ir::Stage::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(seed);
    for (const char* name : {"a", "b"}) fill(arguments[name], random);
    ir::interpret(program, arguments);
    const auto element = [&](const char* name, const MatrixLayout& layout, Integer i, Integer j) {
        return arguments[name][i * layout.row_stride + j * layout.column_stride];
    };
    for (Integer i = 0; i < product.rows; ++i)
        for (Integer j = 0; j < product.columns; ++j) {
            long double expected = 0;
            for (Integer k = 0; k < product.depth; ++k)
                expected += element("a", product.a, i, k) * element("b", product.b, k, j);
            ASSERT_LE(std::abs(element("c", product.c, i, j) - expected),
                      tolerance(product.number, product.depth))
                << i << ", " << j << " of " << product.rows << " by " << product.columns << " by "
                << product.depth << ": " << to_string(nest);
        }
}

constexpr LoopOrder orders[] = {LoopOrder::ijk, LoopOrder::ikj, LoopOrder::jik,
                                LoopOrder::jki, LoopOrder::kij, LoopOrder::kji};

TEST(LoopNest, IsTheProductForEveryOrderCopyAndRemainder) {
    unsigned seed = 0;
    for (const LoopOrder order : orders)
        for (const Copies copies : {Copies::none, Copies::blocks, Copies::panels})
            for (const int lanes : {1, 2, 4, 8})
                for (int trial = 0; trial < 8; ++trial) {
                    std::mt19937 random(++seed);
                    const auto up_to = [&](int n) {
                        return 1 + static_cast<int>(random() % static_cast<unsigned>(n));
                    };
                    LoopNest nest{.product = MatrixProduct::row_major(
                                      trial % 2 == 0 ? Number::float64 : Number::float32, up_to(30),
                                      up_to(40), up_to(30))};
                    nest.order = order;
                    nest.block_rows = up_to(20);
                    nest.block_columns = up_to(30);
                    nest.block_depth = up_to(20);
                    nest.copies = copies;
                    nest.lanes = lanes;
                    nest.tile_rows = up_to(4);
                    nest.tile_vectors = up_to(3);
                    nest.unroll = up_to(5);
                    nest.loads_ahead = up_to(6) - 1;
                    nest.adds_behind = up_to(4) - 1;
                    nest.is_fused = trial % 3 == 0;
                    expect_product(nest, seed);
                }
}

TEST(LoopNest, ReadsAndWritesMatricesWithAnyStrides) {
    LoopNest nest{.product = {.rows = 7,
                              .columns = 9,
                              .depth = 5,
                              .a = {.row_stride = -2, .column_stride = 17},
                              .b = {.row_stride = 1, .column_stride = 6},
                              .c = {.row_stride = -11, .column_stride = 1}},
                  .block_rows = 4,
                  .block_columns = 5,
                  .block_depth = 3,
                  .tile_rows = 2,
                  .tile_vectors = 2};
    expect_product(nest, 1);
    nest.copies = Copies::blocks;
    nest.lanes = 2;
    expect_product(nest, 2);
    nest.copies = Copies::panels;
    expect_product(nest, 3);
}

TEST(LoopNest, MultipliesAndAddsEachElementOnce) {
    for (const bool is_fused : {false, true}) {
        const LoopNest nest{.product = MatrixProduct::row_major(Number::float64, 11, 13, 17),
                            .block_rows = 5,
                            .block_columns = 7,
                            .block_depth = 6,
                            .tile_rows = 2,
                            .tile_vectors = 3,
                            .unroll = 4,
                            .loads_ahead = 3,
                            .adds_behind = 2,
                            .is_fused = is_fused};
        const ir::Program program = loop_nest(nest);
        ir::Arguments arguments(program);
        std::mt19937 random(1);
        for (const char* name : {"a", "b"}) fill(arguments[name], random);
        EXPECT_EQ(ir::interpret(program, arguments).flops, 2 * 11 * 13 * 17);
    }
}

TEST(LoopNest, LoadsComeAheadAndAdditionsBehind) {
    LoopNest nest{.product = MatrixProduct::row_major(Number::float64, 3, 3, 4),
                  .block_rows = 3,
                  .block_columns = 3,
                  .block_depth = 4,
                  .tile_rows = 3,
                  .tile_vectors = 3,
                  .unroll = 4};
    const auto distance = [&] { // from the first product to the first sum
        const ir::Program program = loop_nest(nest);
        int first_product = -1, result = -1;
        for (int at = 0; at < static_cast<int>(program.operations.size()); ++at) {
            const ir::Opcode opcode = program[at].opcode;
            if (opcode == ir::Opcode::multiply && first_product < 0) first_product = at;
            if (opcode == ir::Opcode::add && result < 0) result = at - first_product;
        }
        return result;
    };
    EXPECT_EQ(distance(), 1);
    nest.adds_behind = 2;
    EXPECT_GE(distance(), 3);
}

} // namespace
} // namespace swirl::gemm::test
