#include "gemm/cpu/micro_kernel.hpp"
#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "ir/role.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace swirl::gemm::test {
namespace roles_test {

std::map<std::string, std::string> roles_of(const ir::Program& program) {
    std::map<std::string, std::string> roles;
    for (const ir::BufferInfo& buffer : program.buffers) roles[buffer.name] = ir::to_string(buffer.role);
    return roles;
}

/// (x + e0[row]) · e1[column]
Epilogue bias_and_scale() {
    using Op = loops::Pointwise::Op;
    return {.nodes = {{.op = Op::x},
                      {.op = Op::array, .array = 0},
                      {.op = Op::add, .operands = {0, 1}},
                      {.op = Op::array, .array = 1},
                      {.op = Op::multiply, .operands = {2, 3}}},
            .operands = {{false, 1, 0}, {false, 0, 1}}};
}

TEST(Roles, OfAMicroKernel) {
    const Tile tile = model_schedule(DataType::float32, target::cpu_named("avx2")).tile;
    const MicroKernel kernel{.data_type = DataType::float32,
                             .tile = tile,
                             .rows = tile.rows(),
                             .columns = tile.columns,
                             .prefetch_next = true,
                             .max_k = 8,
                             .max_stride = tile.rows(),
                             .epilogue = bias_and_scale()};
    EXPECT_EQ(roles_of(micro_kernel(kernel)),
              (std::map<std::string, std::string>{{"a", "a"},
                                                  {"b", "b"},
                                                  {"c", "c"},
                                                  {"alpha_beta", "alpha_beta"},
                                                  {"prefetched", "prefetched"},
                                                  {"auxiliary_0", "auxiliary 0"},
                                                  {"auxiliary_1", "auxiliary 1"},
                                                  {"accumulators", "none"}}));
}

TEST(Roles, OfASmallProductThatPacksA) {
    const target::Cpu& cpu = target::cpu_named("avx2");
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 12, 5, 7);
    product.a = {7, 1}; // by rows: packed, as tiles have contiguous columns
    SmallGemm small = model_small_gemm(product, Update::scale, false, 7, cpu);
    small.epilogue = bias_and_scale();
    const auto roles = roles_of(small_gemm(small));
    for (const auto& [name, role] : {std::pair{"a", "a"},
                                     {"b", "b"},
                                     {"c", "c"},
                                     {"alpha", "alpha"},
                                     {"beta", "beta"},
                                     {"packed", "workspace"},
                                     {"auxiliary_1", "auxiliary 1"}})
        EXPECT_EQ(roles.at(name), role);
}

} // namespace roles_test
} // namespace swirl::gemm::test
