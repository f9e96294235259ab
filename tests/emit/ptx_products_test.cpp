// What matrix products need of PTX: sums in registers, scaled indices, asynchronous copies, arguments by value.

#include "emit/gpu_c/source.hpp"
#include "emit/gpu_product_programs.hpp"
#include "emit/gpu_transforms.hpp"
#include "emit/nvrtc.hpp"
#include "emit/ptx/ptx.hpp"
#include "emit/ptx_compiler.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "ir/builder.hpp"
#include "target/nvidia/tensor_cores.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace swirl::emit {
namespace ptx_products_test {

std::size_t count(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
        ++found;
    return found;
}

TEST(EmittedPtxOfProducts, HoldsLocalBuffersOfConstantIndicesInRegisters) {
    for (const DataType scalar :
         {DataType::int64, DataType::float16, DataType::bfloat16, DataType::float32, DataType::float64}) {
        const std::string module = ptx(sums_in_registers(scalar));
        EXPECT_EQ(count(module, ".local"), 0U) << module;
    }
    ir::Builder b("indexed");
    b.launch({.threads = {32, 1, 1}});
    const auto y = b.output("y", DataType::float32, 32);
    const auto own = b.local("own", DataType::float32, 4);
    b.for_loop("k", 4, [&](const Affine& k) { b.store(own, k, b.constant({DataType::float32, 1}, 1)); });
    b.store(y, b.thread(), b.load(own, 0));
    const std::string module = ptx(b.finish());
    EXPECT_EQ(count(module, ".local .align"), 1U) << module;
}

TEST(EmittedPtxOfProducts, RegisterLoadsKeepTheirValues) {
    ir::Builder b("exchange");
    b.launch({.blocks = {1, 1, 1}, .threads = {2, 1, 1}});
    const auto y = b.output("y", DataType::float32, 4);
    const auto own = b.local("own", DataType::float32, 1);
    b.store(own, 0, b.constant({DataType::float32, 1}, 1));
    const ir::Value before = b.load(own, 0);
    b.store(own, 0, b.constant({DataType::float32, 1}, 2));
    b.store(y, b.thread(), before);
    b.store(y, b.thread() + 2, b.load(own, 0));
    const std::string module = ptx(b.finish());
    EXPECT_NE(module.find("    mov.f32 %f0, 0f3F800000;\n"
                          "    mov.f32 %f1, %f0;\n"
                          "    mov.f32 %f0, 0f40000000;\n"
                          "    mad.wide.s32 %rd2, %r0, 4, %rd1;\n"
                          "    st.global.f32 [%rd2], %f1;\n"
                          "    mov.f32 %f2, %f0;\n"
                          "    st.global.f32 [%rd2+8], %f2;\n"),
              std::string::npos)
        << module;
}

TEST(EmittedPtxOfProducts, VectorizesScaledDynamicIndices) {
    const ir::Program program = moving_pointers();
    const std::string module = ptx(program);
    EXPECT_EQ(count(module, "ld.global.nc.v4.f32"), 2U) << module;
    EXPECT_EQ(count(module, "st.global.v4.f32"), 2U) << module;
    EXPECT_EQ(count(module, "and.b64"), 1U) << module;
    EXPECT_EQ(count(module, "xor.b64"), 2U) << module;
    EXPECT_EQ(count(module, "setp.lt.s64"), 1U) << module;
    EXPECT_EQ(count(module, "selp.s64"), 1U) << module;
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::opencl}) {
        const std::string text = emit_gpu_kernels(alone(program, "moving").transform, {.language = language});
        EXPECT_EQ(count(text, " * 4"), 2U) << text;
        EXPECT_EQ(count(text, "float4*)"), 4U) << text;
        EXPECT_EQ(count(text, " ^ "), 2U) << text;
    }
}

TEST(EmittedPtxOfProducts, CopiesAsynchronouslyFromSm80On) {
    const ir::Program program = copies_in_groups();
    const std::string module = ptx(program, {.target = "sm_80"});
    EXPECT_EQ(count(module, "cp.async.ca.shared.global ["), 10U) << module;
    EXPECT_EQ(count(module, "cp.async.cg.shared.global ["), 5U) << module;
    EXPECT_EQ(count(module, ", 16;"), 5U) << module;
    EXPECT_EQ(count(module, "cp.async.commit_group;"), 5U) << module;
    EXPECT_EQ(count(module, "cp.async.wait_group 1;"), 4U) << module;
    EXPECT_EQ(count(module, "cp.async.wait_group 0;"), 1U) << module;
    EXPECT_EQ(count(module, "ld.global"), 0U) << module;
    const std::string earlier = ptx(program, {.target = "sm_75"});
    EXPECT_EQ(count(earlier, "cp.async"), 0U) << earlier;
    EXPECT_EQ(count(earlier, "ld.global"), 15U) << earlier;
    if (const auto compiler = ptx_compiler()) {
        EXPECT_EQ(complaints(*compiler, earlier, "sm_75"), "");
    }
}

TEST(EmittedPtxOfProducts, RefusesCopiesThatNoInstructionMakes) {
    const auto copying = [](int lanes, int alignment) {
        ir::Builder b("copying");
        b.launch({.threads = {8, 1, 1}});
        ir::BufferInfo x;
        x.name = "x";
        x.role.argument = ir::ArgumentRole::input;
        x.element = DataType::float32;
        x.elements = 256;
        x.alignment = alignment;
        const auto from = b.add(x);
        const auto to = b.shared("to", DataType::float32, 256);
        b.store(to, lanes * b.thread(), b.load(from, lanes * b.thread(), {.lanes = lanes}),
                {.asynchronous = true});
        b.commit_async_group();
        b.wait_async_group(0);
        return b.finish();
    };
    EXPECT_NO_THROW(ptx(copying(4, 16)));
    EXPECT_NO_THROW(ptx(copying(1, 0)));
    EXPECT_THROW(ptx(copying(4, 8)), InternalError) << "not aligned";
    EXPECT_THROW(ptx(copying(8, 32)), InternalError) << "32 bytes";
    EXPECT_THROW(ptx(copying(3, 16)), InternalError) << "12 bytes";
}

/// Where a loop's body is all under a condition on data that stays wrong once it is, the loop has no branch but its own.
TEST(EmittedPtxOfProducts, EndsLoopsWhereDataEndThem) {
    for (const Integer first : {0, 1}) { // only loops from 0 on are known to be such
        ir::Builder b("loop");
        b.launch({.blocks = {1, 1, 1}, .threads = {32, 1, 1}});
        const ir::Buffer counts = b.input("counts", DataType::int64, 1),
                         values = b.output("numbers", DataType::float32, 32);
        const ir::Value fewer = b.load(counts, 0);
        b.for_loop("i", first, 20, 1, ir::For::Kind::serial, [&](const Affine& i) {
            b.if_then({{19 - i, ir::Condition::Relation::nonnegative, fewer}}, [&] {
                b.store(values, b.thread(), b.constant({DataType::float32, 1}, 1));
            });
        });
        const std::string text = ptx(b.finish());
        EXPECT_EQ(text.find("$else") == std::string::npos, first == 0) << text;
        EXPECT_EQ(text.find("min.s64") != std::string::npos, first == 0) << text;
    }
}

TEST(EmittedPtxOfProducts, TakesFewScalarsByValue) {
    using Kind = PtxParameter::Kind;
    for (const auto& [scalar, bytes] :
         {std::pair{DataType::float16, 6}, {DataType::float32, 12}, {DataType::float64, 24}}) {
        const ir::Program program = factors_by_value(scalar);
        const std::string module = ptx(program);
        EXPECT_EQ(count(module, fmt::format(".param .align 8 .b8 factors[{}]", bytes)), 1U) << module;
        EXPECT_EQ(ptx_interface(program).parameters,
                  (std::vector<PtxParameter>{{Kind::buffer, 0}, {Kind::value, 1, bytes}, {Kind::buffer, 2}}));
    }
    EXPECT_EQ(count(ptx(factors_by_value(DataType::float32)), "ld.param.v2.f32 {%f"), 1U);
}

/// ptxas must find a register for each live value of a thread.
TEST(EmittedPtxOfProducts, KeepsProductsInRegistersWithoutSpills) {
    const auto compiler = ptx_compiler();
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
    const target::Gpu& gpu = target::gpu_named("sm_90");
    for (const auto& [data_type, schedule] :
         {std::pair{DataType::float32, "a_vector_m=4 b_vector_n=4 c_vector_m=4"},
          {DataType::float32, "cta_m=64 cta_n=64 sliced_k=2 cta_k=16 split_k=2"},
          {DataType::float32,
           "cta_m=256 cta_k=16 thread_m=16 a_vector_m=4 c_vector_m=4 stream_k_blocks=132 "
           "data_parallel_tiles=3"},
          {DataType::float64,
           "cta_m=64 cta_n=64 thread_n=4 warp_lanes_m=4 warp_lanes_n=8 a_vector_m=2 "
           "b_vector_n=2"}}) {
        const MatrixProduct product{.data_type = data_type,
                                    .rows = 4096,
                                    .columns = 4096,
                                    .k = 4096,
                                    .a = {1, 4096},
                                    .b = {4096, 1},
                                    .c = {1, 4096}};
        for (const ir::Program& program :
             gemm::gpu_gemm_kernels(product, gemm::parse_gpu_schedule(schedule), gpu)) {
            const std::string module = ptx(program, {.target = "sm_90"});
            EXPECT_EQ(
                complaints(*compiler, module, "sm_90", "-O3 --warn-on-spills --warn-on-local-memory-usage"),
                "")
                << schedule;
        }
    }
}

TEST(EmittedPtxOfProducts, KeepsBatchedProductsInRegistersWithoutSpills) {
    const auto compiler = ptx_compiler();
    if (!compiler)
        GTEST_SKIP() << "there is no ptxas here: not in PATH, $CUDA_HOME/bin, /usr/local/cuda*/bin";
    for (const auto& [n, schedule] : {std::pair{19, "batched thread_m=4 thread_n=4 matrices=8"},
                                      {20, "batched thread_m=4 thread_n=5 matrices=4"},
                                      {73, "batched thread_m=8 thread_n=8 matrices=1"}}) {
        MatrixProduct product = MatrixProduct::column_major(DataType::float32, n, n, n);
        product.batch = 1001;
        product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = Integer{n} * n;
        const std::string module = ptx(
            gemm::gpu_gemm_kernels(product, gemm::parse_gpu_schedule(schedule), target::gpu_named("sm_90"))
                .back(),
            {.target = "sm_90"});
        EXPECT_EQ(complaints(*compiler, module, "sm_90", "-O3 --warn-on-spills --warn-on-local-memory-usage"),
                  "")
            << schedule;
    }
}

/// Each thread's fragments as they lie in memory.
ir::Program warp_product(const ir::Instruction& instruction) {
    ir::Builder b("warp_product");
    b.launch({.blocks = {1, 1, 1}, .threads = {64, 1, 1}});
    std::vector<ir::Value> operands;
    for (const ir::Type& type : instruction.operands)
        operands.push_back(b.load(b.input("in", type.scalar, 64 * type.lanes), type.lanes * b.thread(),
                                  {.lanes = type.lanes}));
    const ir::Value zeros = b.constant(instruction.result, 0);
    const ir::Value first = b.instruction(instruction, {operands[0], operands[1], zeros});
    const ir::Value sums = b.instruction(instruction, {operands[0], operands[1], first});
    b.store(b.output("out", instruction.result.scalar, 64 * instruction.result.lanes),
            instruction.result.lanes * b.thread(), b.add(sums, operands[2]));
    return b.finish();
}

ir::Program warp_product(const target::MmaShape& shape) { return warp_product(target::mma_float64(shape)); }

TEST(EmittedPtxOfProducts, MultipliesHalfPrecisionByMmaSyncInPairs) {
    const auto compiler = ptx_compiler();
    for (const auto& [scalar, name] : {std::pair{DataType::bfloat16, "bf16"}, {DataType::float16, "f16"}}) {
        const ir::Program program = warp_product(target::mma_half_precision(scalar));
        const std::string module = ptx(program, {.target = "sm_80"});
        EXPECT_EQ(count(module, fmt::format("mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32 {{%f", name)),
                  2U)
            << module;
        EXPECT_EQ(count(module, "}, {%r"), 4U) << module;
        EXPECT_EQ(count(module, "cvt.rn"), 0U) << "pairs are of what was loaded\n" << module;
        if (compiler) {
            EXPECT_EQ(complaints(*compiler, module, "sm_80"), "") << module;
        }
        if (const auto library = nvrtc_library()) {
            const std::string words =
                nvrtc_complaints(*library, emit_gpu(alone(program, "warps").transform), "sm_80");
            EXPECT_EQ(words.find("error"), std::string::npos) << words; // a function may be left unused
        }
    }
    EXPECT_THROW(ptx(warp_product(target::mma_half_precision(DataType::float16)), {.target = "sm_75"}),
                 InternalError);
}

/// Operands kept in registers across k-tiles keep their storage type.
TEST(EmittedPtxOfProducts, KeepsHalfPrecisionOperandsAsBits) {
    MatrixProduct product = MatrixProduct::column_major(DataType::float32, 256, 256, 256);
    product.a_type = product.b_type = DataType::float16;
    const std::string module =
        ptx(gemm::gpu_gemm_kernels(product,
                                   gemm::parse_gpu_schedule("cta_m=128 cta_n=128 cta_k=32 "
                                                            "thread_m=8 thread_n=8 mma_k=16 a_vector_m=8"),
                                   target::gpu_named("sm_80"))
                .front(),
            {.target = "sm_80"});
    EXPECT_GT(count(module, "mov.b16"), 0U);
    EXPECT_EQ(count(module, "cvt.rn.f16.f32"), 0U);
    if (const auto compiler = ptx_compiler()) {
        EXPECT_EQ(complaints(*compiler, module, "sm_80", "-O3 --warn-on-spills"), "") << module;
    }
}

TEST(EmittedPtxOfProducts, MultipliesMatricesByWarps) {
    const auto compiler = ptx_compiler();
    for (const auto& [shape, target, name] : {std::tuple{target::MmaShape{8, 8, 4}, "sm_80", "m8n8k4"},
                                              {target::MmaShape{16, 8, 4}, "sm_90", "m16n8k4"},
                                              {target::MmaShape{16, 8, 8}, "sm_90", "m16n8k8"},
                                              {target::MmaShape{16, 8, 16}, "sm_90", "m16n8k16"}}) {
        const std::string module = ptx(warp_product(shape), {.target = target});
        EXPECT_EQ(count(module, fmt::format("mma.sync.aligned.{}.row.col.f64.f64.f64.f64 {{%fd", name)), 2U)
            << module;
        if (compiler) {
            EXPECT_EQ(complaints(*compiler, module, target), "") << module;
        }
        if (const auto library = nvrtc_library()) {
            EXPECT_EQ(
                nvrtc_complaints(*library, emit_gpu(alone(warp_product(shape), "warps").transform), target),
                "");
        }
    }
    EXPECT_THROW(ptx(warp_product({16, 8, 4}), {.target = "sm_80"}), InternalError);
    EXPECT_THROW(emit_gpu_kernels(alone(warp_product({8, 8, 4}), "warps").transform,
                                  {.language = GpuLanguage::opencl}),
                 UserError);
    EXPECT_TRUE(has_tensor_cores(GpuLanguage::cuda));
    EXPECT_FALSE(has_tensor_cores(GpuLanguage::hip));
    EXPECT_FALSE(has_tensor_cores(GpuLanguage::opencl));
}

// ---- the other languages --------------------------------------------------------------------------------------------

TEST(EmittedGpuSourceOfProducts, HasAnArgumentForEachScalarPassedByValue) {
    const OwnedTransform owned = alone(factors_by_value(DataType::float32), "scaled");
    const std::string cuda = emit_gpu(owned.transform);
    for (const char* expected :
         {"const float factors_0", "const float factors_2", "const float* factors, ",
          "const_cast<float*>(factors + 2)", "factors: float 0…2, in memory of the host"})
        EXPECT_NE(cuda.find(expected), std::string::npos) << expected << "\n" << cuda;
    const std::string opencl = emit_gpu(owned.transform, {.language = GpuLanguage::opencl});
    for (const char* expected :
         {"const cl_mem buffers[2] = {in, out};", "clSetKernelArg(self->kernels[0], 2, 4, factors + 0);",
          "clSetKernelArg(self->kernels[0], 4, 4, factors + 2);"})
        EXPECT_NE(opencl.find(expected), std::string::npos) << expected << "\n" << opencl;
}

TEST(EmittedGpuSourceOfProducts, CompilesForProducts) {
    const std::optional<std::string> library = nvrtc_library();
    if (!library) GTEST_SKIP() << "no libnvrtc under CUDA_HOME, /usr/local/cuda* or in Python's packages";
    const target::Gpu& gpu = target::gpu_named("sm_90");
    std::vector<ir::Program> programs;
    for (const char* more :
         {"", "split_k=2", "a_vector_m=2 b_vector_n=2 c_vector_m=2", "stream_k_blocks=3"}) {
        const MatrixProduct product{
            .rows = 64, .columns = 32, .k = 20, .a = {1, 64}, .b = {32, 1}, .c = {1, 64}};
        const gemm::GpuGemmSchedule schedule = gemm::parse_gpu_schedule(
            "cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 warp_lanes_m=8 "
            "warp_lanes_n=4 " +
            std::string(more));
        for (ir::Program& program : gemm::gpu_gemm_kernels(product, schedule, gpu))
            programs.push_back(std::move(program));
    }
    MatrixProduct batch = MatrixProduct::column_major(DataType::float32, 5, 6, 7);
    batch.batch = 10;
    batch.a.batch_stride = 35;
    batch.b.batch_stride = 42;
    batch.c.batch_stride = 30;
    programs.push_back(gemm::gpu_gemm_kernels(
                           batch, gemm::parse_gpu_schedule("batched thread_m=3 thread_n=2 matrices=3"), gpu)
                           .back());
    EXPECT_EQ(
        nvrtc_complaints(*library, emit_gpu(all_of(std::move(programs), "products").transform), "sm_90"), "");
}

TEST(EmittedGpuSourceOfProducts, HasOrdinaryStoresInPlaceOfCopies) {
    const OwnedTransform owned = alone(copies_in_groups(), "copies");
    for (const GpuLanguage language : {GpuLanguage::cuda, GpuLanguage::hip, GpuLanguage::opencl}) {
        const std::string text = emit_gpu_kernels(owned.transform, {.language = language});
        EXPECT_EQ(count(text, "between_4["), 1U + 5 + 1 + 5) << "declared, copied, set to zero, read\n"
                                                             << text;
        EXPECT_EQ(count(text, "async"), 0U) << text;
    }
}

} // namespace ptx_products_test
} // namespace swirl::emit
