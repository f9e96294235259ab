#include "gemm/cpu/micro_kernel.hpp"

#include "gemm/cpu/schedule.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace swirl::gemm::test {
namespace epilogue_test {

using Op = loops::Pointwise::Op;

/// max(0, x + e0[row]) · e1[column] + e2[row, column].
Epilogue example(Integer columns) {
    Epilogue epilogue;
    epilogue.operands = {{false, 1, 0}, {false, 0, 1}, {false, columns, 1}};
    const auto operand = [](int array_index) {
        return loops::Pointwise::Node{.op = Op::array, .array = array_index};
    };
    const auto of = [](Op op, std::vector<int> operands) {
        return loops::Pointwise::Node{.op = op, .operands = std::move(operands)};
    };
    epilogue.nodes = {of(Op::x, {}),        operand(0),
                      of(Op::add, {0, 1}),  of(Op::constant, {}),
                      of(Op::less, {3, 2}), of(Op::choose, {4, 2, 3}),
                      operand(1),           of(Op::multiply, {5, 6}),
                      operand(2),           of(Op::add, {7, 8})};
    return epilogue;
}

/// As a tile finishes its elements, on every CPU, with every remainder of rows.
TEST(Epilogue, FinishesTheElementsOfATile) {
    unsigned seed = 0;
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType data_type : {DataType::float32, DataType::float64})
            for (int missing = 0; missing < 3; ++missing) {
                const Tile tile = model_schedule(data_type, *cpu).tile;
                const int rows = std::max(1, tile.rows() - missing);
                const Integer k_extent = 3;
                const MicroKernel kernel{.data_type = data_type,
                                         .tile = tile,
                                         .rows = rows,
                                         .columns = tile.columns,
                                         .unroll = 2,
                                         .max_k = k_extent,
                                         .max_stride = rows,
                                         .epilogue = example(tile.columns)};
                const ir::Program program = micro_kernel(kernel);
                ir::verify(program, ir::VerificationLevel::vectorized);
                ir::Arguments arguments(program);
                std::mt19937 random(++seed);
                for (const char* name : {"a", "b", "alpha_beta", "auxiliary_0", "auxiliary_1", "auxiliary_2"})
                    fill(arguments[name], random);
                arguments.parameters = {k_extent / 2 * 2, k_extent, rows};
                ir::interpret(program, arguments);
                const auto at = [&](const char* name, Integer index) { return arguments[name][index]; };
                for (Integer i = 0; i < rows; ++i)
                    for (Integer j = 0; j < tile.columns; ++j) {
                        long double x = 0;
                        for (Integer k = 0; k < k_extent; ++k)
                            x += at("a", k * tile.rows() + i) * at("b", k * tile.columns + j);
                        x = std::max(0.0L, at("alpha_beta", 0) * x + at("auxiliary_0", i)) *
                                at("auxiliary_1", j) +
                            at("auxiliary_2", i * tile.columns + j);
                        ASSERT_NEAR(at("c", i + j * rows), x, 4 * tolerance(data_type, k_extent))
                            << cpu->name << " " << i << ", " << j << " of " << rows;
                    }
            }
}

} // namespace epilogue_test
} // namespace swirl::gemm::test
