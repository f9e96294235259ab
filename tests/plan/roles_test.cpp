// The roles of kernels' arguments, by which plans bind memory, independent of buffer names.

#include "ir/role.hpp"
#include "plan/gemm/gpu/kernel.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "support/error_of.hpp"
#include "support/interpreted_product.hpp"
#include "support/transform_schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace swirl::planning {
namespace roles_test {

using Roles = std::map<std::string, std::string>; ///< by the name of a buffer or parameter

Roles roles_of(const ir::Program& program) {
    Roles roles;
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::argument) roles[buffer.name] = ir::to_string(buffer.role);
    for (const ir::VariableInfo& variable : program.variables)
        if (variable.kind == ir::VariableInfo::Kind::parameter)
            roles[variable.name] = ir::name_of(variable.role);
    return roles;
}

Roles roles_on_cpu(const std::string& text) {
    const Transform problem = swirl::problem(text);
    const DimensionPass pass = dimension_passes(problem).front();
    return roles_of(derive(problem, pass, rules::parse_tree("codelet"), target::cpu_named("avx2")).program);
}

std::vector<ir::Program> programs_on_gpu(const std::string& text, const std::string& schedule) {
    return describe_passes(swirl::problem(text), transform_schedule("sm_90: " + schedule)).front().programs;
}

TEST(Roles, OfTransformsOnCpus) {
    EXPECT_EQ(roles_on_cpu("dft 8"), (Roles{{"input", "input"}, {"output", "output"}}));
    EXPECT_EQ(roles_on_cpu("dft 8 inplace"), (Roles{{"data", "data"}}));
    EXPECT_EQ(roles_on_cpu("dft 8 planar"), (Roles{{"input_re", "input, real"},
                                                   {"input_im", "input, imaginary"},
                                                   {"output_re", "output, real"},
                                                   {"output_im", "output, imaginary"}}));
    EXPECT_EQ(roles_on_cpu("rdft 8 planar"),
              (Roles{{"input", "input"}, {"output_re", "output, real"}, {"output_im", "output, imaginary"}}));
}

TEST(Roles, OfTransformsOnGpusWithArraysOfCallbacks) {
    const std::string callbacks = " load=\"x * complex w[b, i]\" store=\"x * s[i]\"";
    const auto interleaved = programs_on_gpu("dft 8 batch=32" + callbacks, "0 codelet on 32x32");
    EXPECT_EQ(roles_of(interleaved.front()), (Roles{{"input", "input"},
                                                    {"output", "output"},
                                                    {"auxiliary_w", "auxiliary 0"},
                                                    {"auxiliary_s", "auxiliary 1"}}));
    const auto planar = programs_on_gpu("dft 8 planar batch=32" + callbacks, "0 codelet on 32x32");
    EXPECT_EQ(roles_of(planar.front()), (Roles{{"input_re", "input, real"},
                                               {"input_im", "input, imaginary"},
                                               {"output_re", "output, real"},
                                               {"output_im", "output, imaginary"},
                                               {"auxiliary_w_re", "auxiliary 0, real"},
                                               {"auxiliary_w_im", "auxiliary 0, imaginary"},
                                               {"auxiliary_s", "auxiliary 1"}}));
}

TEST(Roles, OfScratchStayWorkspaceWhereKernelsHandItOn) {
    const auto kernels = programs_on_gpu("dft 1024 batch=3", "0 two-sweep(32,1,1)[stockham(8,4)] on 64x16");
    ASSERT_EQ(kernels.size(), 2U);
    EXPECT_EQ(roles_of(kernels[0]), (Roles{{"input", "input"}, {"workspace_0", "workspace"}}));
    EXPECT_EQ(roles_of(kernels[1]), (Roles{{"workspace_0", "workspace"}, {"output", "output"}}));
}

TEST(Roles, SayWhichMemoryOfAnExecutionABufferIs) {
    using Source = Binding::Source;
    using enum ir::ArgumentRole;
    DimensionPass pass = dimension_passes(swirl::problem("dft 8 planar")).front();
    pass.arrays.resize(2);
    EXPECT_EQ(source_of({input}, pass), Source::input);
    EXPECT_EQ(source_of({output, 0, ir::Component::imaginary}, pass), Source::output_imaginary);
    EXPECT_EQ(source_of({auxiliary, 1, ir::Component::imaginary}, pass), Binding::array_source(1, true));
    pass.source = pass.target = DataLocation::intermediate;
    EXPECT_EQ(source_of({data}, pass), Source::intermediate);
    const auto error = [&](const ir::Role& role) {
        return error_of<InternalError>([&] { (void)source_of(role, pass); });
    };
    EXPECT_NE(error({auxiliary, 2}).find("auxiliary array 2 of 2"), std::string::npos);
    EXPECT_NE(error({a}).find("an argument that no plan has: a"), std::string::npos);
}

MatrixProduct with_epilogue_and_reductions() {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 64, 32, 8);
    product.epilogue = Expression("x * scale[i] + bias[j]");
    product.reductions = {{"total", Reduce::sum, Over::all, {}},
                          {"largest", Reduce::maximum, Over::rows, {}}};
    return product;
}

const Roles operands = {{"a", "a"},
                        {"b", "b"},
                        {"c", "c"},
                        {"alpha_beta", "alpha_beta"},
                        {"auxiliary_scale", "auxiliary 0"},
                        {"auxiliary_bias", "auxiliary 1"},
                        {"multiplies", "multiplies"},
                        {"reads_c", "reads_c"}};

/// Results with several partials are written by kernels of their own.
TEST(Roles, OfProductsOnGpusWithEpilogueAndReductions) {
    MatrixProduct product = with_epilogue_and_reductions();
    for (const bool by_rows : {false, true}) { // by rows the operands are swapped
        if (by_rows) product.c = {product.columns, 1};
        const gemm::GpuGemmSchedule schedule = schedule_with("");
        EXPECT_EQ(roles_of(derive_gemm_for_gpu(product, schedule, gpu()).front().program), operands);
        const auto reductions = derive_reductions_for_gpu(product, schedule, gpu());
        ASSERT_EQ(reductions.size(), 2U);
        EXPECT_EQ(roles_of(reductions[0].program), (Roles{{"reduction_total", "reduction 0"}}));
        EXPECT_EQ(roles_of(reductions[1].program), (Roles{{"reduction_largest", "reduction 1"}}));
    }
}

TEST(Roles, OfResultsThatTheProductsKernelWrites) {
    MatrixProduct product = with_epilogue_and_reductions();
    product.rows = 32; // one tile
    product.columns = 16;
    Roles expected = operands;
    expected["reduction_total"] = "reduction 0";
    expected["reduction_largest"] = "reduction 1";
    const auto kernels = derive_gemm_for_gpu(product, schedule_with(""), gpu());
    EXPECT_EQ(roles_of(kernels.front().program), expected);
}

TEST(Roles, OfPointersToMatrices) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 32, 16, 8);
    product.batch = 3;
    product.listed = true;
    const ir::Program program = derive_gemm_for_gpu(product, schedule_with(""), gpu()).front().program;
    const Roles roles = roles_of(program);
    EXPECT_EQ(roles.at("a_list"), "a_pointers");
    EXPECT_EQ(roles.at("b_list"), "b_pointers");
    EXPECT_EQ(roles.at("c_list"), "c_pointers");
}

} // namespace roles_test
} // namespace swirl::planning
