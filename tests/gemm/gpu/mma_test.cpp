// GEMM by mma.sync.
#include "gemm/gpu/gemm_run.hpp"
#include "gemm/gpu/model/model.hpp"
#include "support/error_of.hpp"
#include "target/nvidia/tensor_cores.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace mma_test {

GpuGemmSchedule warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "cta_m=32 cta_n=16 cta_k=8 thread_m=2 thread_n=2 mma_k=4 stages=3 "
        "raster_group=2 copy_k=4 " +
        std::string(more));
}

TEST(GpuProduct, WarpsMultiply) {
    for (const char* more : {"", "mma_k=8 cta_k=16", "mma_k=16 cta_k=32", "sliced_k=2 cta_k=16",
                             "thread_m=4 thread_n=4 interleave_copies=0", "split_k=2 stages=4",
                             "c_vector_m=2 a_vector_m=2 b_vector_n=2"})
        for (const Integer k : {16, 37})
            expect_product(product_of('N', 'T', 72, 36, k, 0, DataType::float64), warp_schedule(more));
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            expect_product(product_of(a, b, 65, 33, 20, 1, DataType::float64), warp_schedule());
    expect_product(product_of('N', 'N', 40, 20, 1, 0, DataType::float64), warp_schedule());
    MatrixProduct batch = product_of('T', 'N', 40, 20, 9, 0, DataType::float64);
    batch.batch = 3;
    batch.a.batch_stride = 400;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 800;
    expect_product(batch, warp_schedule("matrices=2"));
}

GpuGemmSchedule short_warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "cta_m=32 cta_n=16 cta_k=32 thread_m=2 thread_n=2 mma_k=16 stages=3 "
        "raster_group=2 copy_k=16 " +
        std::string(more));
}

/// Factors are short, sums of float32.
MatrixProduct short_product(char a, char b, Integer rows, Integer columns, Integer k, Integer gap,
                            DataType operand_type) {
    MatrixProduct product = product_of(a, b, rows, columns, k, gap);
    product.a_type = product.b_type = operand_type;
    return product;
}

TEST(GpuProduct, MmaSyncMultipliesHalfPrecision) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    for (const DataType operand_type : {DataType::bfloat16, DataType::float16}) {
        for (const char* more : {"", "sliced_k=2 cta_k=64", "thread_m=4 thread_n=4 interleave_copies=0",
                                 "thread_m=2 thread_n=8 cta_n=32", "c_vector_m=2 a_vector_m=8 b_vector_n=4"})
            for (const Integer k : {16, 37})
                expect_product(short_product('N', 'T', 72, 36, k, 0, operand_type), short_warp_schedule(more),
                               {}, earlier);
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                expect_product(short_product(a, b, 65, 33, 20, 1, operand_type), short_warp_schedule(), {},
                               earlier);
    }
    expect_product(short_product('N', 'T', 72, 36, 80, 0, DataType::bfloat16),
                   short_warp_schedule("split_k=2 stages=4"), {}, gpu());
    for (const auto& [product, target] :
         {std::pair(short_product('N', 'N', 64, 32, 20, 0, DataType::float16), "generic"),
          {product_of('N', 'N', 64, 32, 20), "sm_80"}})
        EXPECT_NE(error_of([&, &of = product, name = target] {
                      gpu_gemm_kernels(of, short_warp_schedule(), target::gpu_named(name));
                  }).find("mma_k is 16"),
                  std::string::npos)
            << target;
}

/// K-major operands are loaded as vectors of two k indices, or of four if both are; a B that is not, as adjacent columns.
TEST(GpuProduct, MmaSyncReadsHalfPrecisionFragmentsAsVectors) {
    struct Case {
        char a, b;
        const char* vectors;
    };
    const Case cases[] = {{'N', 'N', "a_vector_m=8 b_vector_k=8"},
                          {'N', 'N', "a_vector_m=8 b_vector_k=8 sliced_k=2 cta_k=64"},
                          {'N', 'T', "a_vector_m=8 b_vector_n=8 c_vector_m=2"},
                          {'T', 'N', "a_vector_k=8 b_vector_k=8"},
                          {'T', 'N', "a_vector_k=8 b_vector_k=8 split_k=2 stages=4"},
                          {'T', 'T', "a_vector_k=8 b_vector_n=8"},
                          {'T', 'N', "a_vector_k=8"}};
    for (const Case& each : cases)
        for (const char* tile : {"thread_m=2 thread_n=4", "cta_m=64 cta_n=32 thread_m=8 thread_n=8"})
            expect_product(short_product(each.a, each.b, 72, 40, 80, 0, DataType::float16),
                           short_warp_schedule((std::string(tile) + " " + each.vectors).c_str()), {}, gpu());
}

TEST(GpuProduct, WarpsReadShortFragmentsWithoutConflicts) {
    struct Case {
        char a, b;
        const char* vectors;
    };
    for (const Case& each :
         {Case{'N', 'T', "a_vector_m=8 b_vector_n=8"}, Case{'N', 'N', "a_vector_m=8 b_vector_k=8"},
          Case{'T', 'N', "a_vector_k=8 b_vector_k=8"}, Case{'T', 'T', "a_vector_k=8 b_vector_n=8"}})
        for (const char* tile : {"thread_m=8 thread_n=8", "thread_m=4 thread_n=4", "thread_m=2 thread_n=8"}) {
            const MatrixProduct product = short_product(each.a, each.b, 64, 64, 64, 0, DataType::bfloat16);
            const std::string more = "cta_m=64 cta_n=64 cta_k=64 " + std::string(tile) + " " + each.vectors;
            EXPECT_EQ(expect_product(product, short_warp_schedule(more.c_str()), {.reads_c = false})
                          .bank_conflict_cycles(),
                      0)
                << each.a << each.b << " " << tile;
        }
}

TEST(GpuSchedules, OfHalfPrecisionUseMmaSyncWithoutWgmma) {
    for (const Integer n : {256, 1024, 4096}) {
        const MatrixProduct product = short_product('N', 'T', n, n, n, 0, DataType::bfloat16);
        EXPECT_EQ(mma_k_of(gpu_schedules(product, target::gpu_named("sm_80"), 1)), 16);
        EXPECT_TRUE(n == 256 || is_wgmma(gpu_schedules(product, gpu(), 1).front()));
        const MatrixProduct unaligned = short_product('N', 'T', n, n, n, 1, DataType::bfloat16);
        EXPECT_EQ(mma_k_of(gpu_schedules(unaligned, gpu(), 1)), 16);
    }
}

TEST(GpuProduct, WarpsMultiplyOnEarlierGpusInSmallerProducts) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    const MatrixProduct product = product_of('N', 'N', 64, 32, 20, 0, DataType::float64);
    const ir::Program program = gpu_gemm_kernels(product, warp_schedule(), earlier).front();
    bool found = false;
    for (const ir::Operation& operation : program.operations)
        found = found || (operation.opcode == ir::Opcode::instruction &&
                          operation.instruction == &target::mma_float64({8, 8, 4}));
    EXPECT_TRUE(found);
    expect_product(product, warp_schedule(), {}, earlier);
    EXPECT_NE(error_of([&] {
                  gpu_gemm_kernels(product, warp_schedule("mma_k=8 cta_k=16"), earlier);
              }).find("mma_k is 8"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  gpu_gemm_kernels(product_of('N', 'N', 64, 32, 20), warp_schedule(), gpu());
              }).find("data type is float32"),
              std::string::npos);
}

TEST(GpuProduct, WarpsReadFragmentsWithoutConflicts) {
    for (const char a : {'N', 'T'}) {
        const MatrixProduct product = product_of(a, a == 'N' ? 'T' : 'N', 64, 64, 32, 0, DataType::float64);
        const GpuGemmSchedule schedule =
            warp_schedule(a == 'N' ? "cta_m=64 cta_n=64 thread_m=4 thread_n=4 cta_k=16 a_vector_m=2 "
                                     "b_vector_n=2"
                                   : "cta_m=64 cta_n=64 thread_m=4 thread_n=4 cta_k=16");
        EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << a;
    }
    EXPECT_EQ(expect_product(product_of('T', 'N', 64, 64, 32, 0, DataType::float64),
                             warp_schedule("cta_m=64 cta_n=64 thread_m=4 thread_n=4 "
                                           "cta_k=16 a_vector_k=2 b_vector_k=2"),
                             {.reads_c = false})
                  .bank_conflict_cycles(),
              0);
}

} // namespace mma_test
} // namespace swirl::gemm::test
