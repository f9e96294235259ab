// GEMM kernels with integers in memory: compilers accept their PTX and CUDA C++.

#include "emit/gpu_c/source.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/nvrtc.hpp"
#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "ir/builder.hpp"
#include "problem/matrix_product.hpp"

#include <gtest/gtest.h>

namespace swirl::emit {
namespace ptx_data_types_test {

constexpr DataType integers[] = {DataType::int8,   DataType::uint8,   DataType::unorm8,
                                 DataType::snorm8, DataType::unorm16, DataType::snorm16};

ir::Program product_of(DataType data_type, bool k_major) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 256, 128, 64);
    product.a_type = product.b_type = product.c_type = data_type;
    if (k_major) product.a = {64, 1};
    const target::Gpu& gpu = target::gpu_named("sm_90");
    return gemm::gpu_gemm_kernels(product, gemm::gpu_schedules(product, gpu, 1).front(), gpu).front();
}

TEST(EmittedPtxOfIntegers, Compiles) {
    const auto compiler = ptx_compiler();
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
    for (const DataType data_type : integers)
        for (const bool k_major : {false, true})
            EXPECT_EQ(
                complaints(*compiler, ptx(product_of(data_type, k_major), {.target = "sm_90"}), "sm_90"), "")
                << name_of(data_type);
}

/// Where tiles are of no use: of other strides, and stored as bytes.
TEST(EmittedPtxOfE4m3, WidensIt) {
    const target::Gpu& gpu = target::gpu_named("sm_90");
    const auto compiler = ptx_compiler();
    for (const Integer pitch : {256, 257}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, 256, 128, 65);
        product.a_type = product.b_type = DataType::float8_e4m3;
        product.c_type = DataType::uint8;
        product.a.column_stride = pitch;
        const ir::Program program =
            gemm::gpu_gemm_kernels(product, gemm::gpu_schedules(product, gpu, 1).front(), gpu).front();
        const std::string text = ptx(program, {.target = "sm_90", .version = std::string(gpu.ptx_version)});
        EXPECT_NE(text.find("cvt.rn.f16x2.e4m3x2 "), std::string::npos) << text;
        if (compiler) {
            EXPECT_EQ(complaints(*compiler, text, "sm_90"), "") << pitch;
        }
        EXPECT_THROW(emit_gpu(alone(program, "product").transform, {.language = GpuLanguage::cuda}),
                     UserError);
    }
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 256, 128, 64);
    product.a_type = product.b_type = DataType::float8_e4m3;
    EXPECT_THROW(gemm::gpu_schedules(product, target::gpu_named("sm_80"), 1), UserError);
}

TEST(EmittedPtxOfIntegers, HoldsThemIn32Bits) {
    ir::Builder b("conversions");
    b.launch({.threads = {32, 1, 1}});
    const auto x = b.input("x", DataType::int8, 128);
    const auto y = b.output("y", DataType::float32, 128);
    const auto z = b.output("z", DataType::uint16, 128);
    const ir::Value four = b.load(x, 4 * b.thread(), {.lanes = 4});
    const ir::Value wide = b.convert(four, DataType::float32);
    b.store(y, 4 * b.thread(), wide, {.lanes = 4});
    b.store(z, 4 * b.thread(), b.convert(wide, DataType::uint16), {.lanes = 4});
    const std::string module = ptx(b.finish());
    for (const char* words : {"ld.global.nc.s8 %r", "cvt.rn.f32.s32 %f", "cvt.rzi.s32.f32 %r",
                              "cvt.u32.u16 %r", "st.global.u16 ["})
        EXPECT_NE(module.find(words), std::string::npos) << words << "\n" << module;
    ir::Builder sum("sum");
    sum.launch({.threads = {32, 1, 1}});
    const auto bytes = sum.input("x", DataType::int8, 32);
    const auto sums = sum.output("y", DataType::int8, 32);
    const ir::Value one = sum.load(bytes, sum.thread());
    sum.store(sums, sum.thread(), sum.add(one, one));
    EXPECT_THROW(ptx(sum.finish()), InternalError) << "arithmetic is that of CPUs";
}

TEST(EmittedCudaOfIntegers, Compiles) {
    const auto library = nvrtc_library();
    if (!library) GTEST_SKIP() << "no libnvrtc under CUDA_HOME, /usr/local/cuda* or in Python's packages";
    for (const DataType data_type : integers) {
        const ir::Program program = product_of(data_type, false);
        const std::string text =
            emit_gpu(alone(program, "product").transform, {.language = GpuLanguage::cuda});
        EXPECT_EQ(text.find("char") != std::string::npos, bytes_of(data_type) == 1) << text;
        EXPECT_EQ(nvrtc_complaints(*library, text, "sm_90"), "") << name_of(data_type);
    }
}

} // namespace ptx_data_types_test
} // namespace swirl::emit
