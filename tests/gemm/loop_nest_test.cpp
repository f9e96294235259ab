#include "gemm/cpu/loop_nest.hpp"

#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace loop_nest_test {

/// Runs the nest in the interpreter; C begins as what nobody has written.
void expect_product(const LoopNest& nest, unsigned seed) {
    const MatrixProduct& product = nest.product;
    const ir::Program program = loop_nest(nest);
    ir::verify(program, ir::VerificationLevel::vectorized);
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
            for (Integer k = 0; k < product.k; ++k)
                expected += element("a", product.a, i, k) * element("b", product.b, k, j);
            ASSERT_LE(std::abs(element("c", product.c, i, j) - expected),
                      tolerance(product.data_type, product.k))
                << i << ", " << j << " of " << product.rows << " by " << product.columns << " by "
                << product.k << ": " << to_string(nest);
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
                                      trial % 2 == 0 ? DataType::float64 : DataType::float32, up_to(30),
                                      up_to(40), up_to(30))};
                    nest.order = order;
                    nest.mc = up_to(20);
                    nest.nc = up_to(30);
                    nest.kc = up_to(20);
                    nest.copies = copies;
                    nest.lanes = lanes;
                    nest.tile_rows = up_to(4);
                    nest.tile_vectors = up_to(3);
                    nest.unroll = up_to(5);
                    nest.load_distance = up_to(6) - 1;
                    nest.add_distance = up_to(4) - 1;
                    nest.is_fused = trial % 3 == 0;
                    expect_product(nest, seed);
                }
}

TEST(LoopNest, ReadsAndWritesMatricesWithAnyStrides) {
    LoopNest nest{.product = {.rows = 7,
                              .columns = 9,
                              .k = 5,
                              .a = {.row_stride = -2, .column_stride = 17},
                              .b = {.row_stride = 1, .column_stride = 6},
                              .c = {.row_stride = -11, .column_stride = 1}},
                  .mc = 4,
                  .nc = 5,
                  .kc = 3,
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
        const LoopNest nest{.product = MatrixProduct::row_major(DataType::float64, 11, 13, 17),
                            .mc = 5,
                            .nc = 7,
                            .kc = 6,
                            .tile_rows = 2,
                            .tile_vectors = 3,
                            .unroll = 4,
                            .load_distance = 3,
                            .add_distance = 2,
                            .is_fused = is_fused};
        const ir::Program program = loop_nest(nest);
        ir::Arguments arguments(program);
        std::mt19937 random(1);
        for (const char* name : {"a", "b"}) fill(arguments[name], random);
        EXPECT_EQ(ir::interpret(program, arguments).flops, 2 * 11 * 13 * 17);
    }
}

TEST(LoopNest, LoadsComeAheadAndAdditionsBehind) {
    LoopNest nest{.product = MatrixProduct::row_major(DataType::float64, 3, 3, 4),
                  .mc = 3,
                  .nc = 3,
                  .kc = 4,
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
    nest.add_distance = 2;
    EXPECT_GE(distance(), 3);
}

} // namespace loop_nest_test
} // namespace swirl::gemm::test
