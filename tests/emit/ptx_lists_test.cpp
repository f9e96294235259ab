// PTX of products whose matrices lie where lists of pointers say.

#include "emit/gpu_c/source.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace ptx_lists_test {

/// Of half precision with float32 accumulators.
ir::Program listed(DataType data_type, int alignment) {
    const bool is_low_precision = bytes_of(data_type) < bytes_of(DataType::float32);
    MatrixProduct product =
        MatrixProduct::column_major(is_low_precision ? DataType::float32 : data_type, 128, 128, 64);
    if (is_low_precision) product.a_type = product.b_type = data_type;
    product.batch = 100;
    product.listed = true;
    product.list_alignment = alignment;
    const target::Gpu& gpu = target::gpu_named("sm_90");
    return gemm::gpu_gemm_kernels(product, gemm::gpu_schedules(product, gpu, 1).front(), gpu).front();
}

TEST(EmittedPtxOfLists, PassesListsAndNoMatrices) {
    using Kind = PtxParameter::Kind;
    const ir::Program program = listed(DataType::float32, 16);
    std::vector<std::string> names;
    for (const PtxParameter& parameter : ptx_interface(program, {.target = "sm_90"}).parameters)
        if (parameter.kind == Kind::buffer)
            names.push_back(program.buffers.at(static_cast<std::size_t>(parameter.position)).name);
    EXPECT_EQ(names, (std::vector<std::string>{"a_list", "b_list", "c_list"}));
    const std::string module = ptx(program, {.target = "sm_90"});
    EXPECT_NE(module.find("div.s64"), std::string::npos) << module;
    EXPECT_NE(module.find("cp.async.cg.shared.global"), std::string::npos) << module;
}

TEST(EmittedPtxOfLists, Compiles) {
    const auto compiler = ptx_compiler();
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
    for (const DataType data_type :
         {DataType::float32, DataType::float64, DataType::bfloat16, DataType::float16})
        for (const int alignment : {0, 16}) {
            const std::string module = ptx(listed(data_type, alignment), {.target = "sm_90"});
            EXPECT_EQ(complaints(*compiler, module, "sm_90"), "");
            EXPECT_EQ(module.find("mma.sync") != std::string::npos, data_type != DataType::float32);
        }
}

TEST(EmittedPtxOfLists, IsAllThatThereIs) {
    EXPECT_THROW(emit_gpu_kernels(alone(listed(DataType::float32, 0), "listed").transform, {}), UserError);
}

} // namespace ptx_lists_test
} // namespace swirl::emit
