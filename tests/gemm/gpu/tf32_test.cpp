// wgmma with float32 operands, rounded to TF32 on the way to shared memory.
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/prologue/operand_transpose.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/reference.hpp"
#include "ir/interpreter.hpp"
#include "ir/print.hpp"
#include "ir/rounding.hpp"
#include "ir/verify.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace swirl::gemm::test {
namespace tf32_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

GpuGemmSchedule rounded_schedule(const std::string& more = {}) {
    return parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=32 warpgroups=1 stages=2 "
        "epilogue_tile_m=64 raster_group=2 tf32=1 " +
        more);
}

MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer k) {
    const auto pitch = [](Integer extent) { return ceil_divide(extent, 4) * 4; };
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, pitch(r)} : MatrixLayout{pitch(c), 1};
    };
    MatrixProduct product;
    product.data_type = DataType::float32;
    product.rows = rows;
    product.columns = columns;
    product.k = k;
    product.a = layout(a, rows, k);
    product.b = layout(b, k, columns);
    product.c = {1, pitch(rows)};
    return product;
}

/// Quarters of small integers, plus or minus less than half a TF32 unit.
void fill(ir::Memory& memory, std::mt19937& random, long double little) {
    std::uniform_int_distribution<int> uniform(-8, 8), more(-1, 1);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 4 *
                                           (1 + static_cast<long double>(more(random)) * little));
}

struct Execution {
    bool reads_c = true;
    bool last_role_first = false;
};

/// All kernels of a product, one after the other; reports are the last one's.
struct Interpreted {
    Interpreted(const MatrixProduct& product, const GpuGemmSchedule& schedule, const Execution& execution)
        : kernels(gpu_gemm_kernels(product, schedule, gpu())) {
        std::mt19937 random(7);
        for (const char* name : {"a", "b"}) fill(kernels.memory(name), random, 0x1p-13L);
        fill(kernels.memory("alpha_beta"), random, 0);
        if (execution.reads_c) fill(kernels.memory("c"), random, 0);
        before = kernels.memory("c");
        report = kernels.run({1, execution.reads_c ? 1 : 0}, {.last_role_first = execution.last_role_first});
    }

    support::KernelSequence kernels;
    std::optional<ir::Memory> before; ///< C
    ir::InterpreterReport report;
};

void expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule, bool reads_c = true) {
    SCOPED_TRACE(to_string(schedule));
    for (const bool last_role_first : {false, true}) {
        Interpreted result(product, schedule, {reads_c, last_role_first});
        support::KernelSequence& kernels = result.kernels;
        expect_gaps_kept(product, *result.before, kernels.memory("c"));
        const Definition definition{
            product,
            kernels.memory("a"),
            kernels.memory("b"),
            kernels.memory("alpha_beta"),
            reads_c ? &*result.before : nullptr,
            true,
            [](long double value) {
                return static_cast<long double>(ir::round_to_tf32(static_cast<double>(value)));
            }};
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            for (Integer i = 0; i < product.rows; ++i)
                for (Integer j = 0; j < product.columns; ++j) {
                    ASSERT_EQ(element(kernels.memory("c"), product.c, matrix, i, j),
                              definition.at(matrix, i, j))
                        << matrix << ", " << i << ", " << j;
                }
    }
}

TEST(Tf32Gemm, IsThatOfRoundedElementsForEveryTransposition) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_product(product_of(a, b, 128, 64, 96), rounded_schedule());
}

TEST(Tf32Gemm, HasEdgesAnywhere) {
    for (const auto& [rows, columns, k_extent] :
         {std::array{1, 1, 1}, {65, 130, 8}, {127, 63, 70}, {200, 3, 129}})
        for (const char b : {'N', 'T'}) {
            expect_product(product_of('N', b, rows, columns, k_extent), rounded_schedule());
            expect_product(product_of('T', b, rows, columns, k_extent), rounded_schedule());
        }
}

TEST(Tf32Gemm, WarpgroupsShareRowsOfFragments) {
    for (const char* more :
         {"cta_m=128", "cta_m=128 warpgroups=2", "cta_m=192 warpgroups=3 epilogue_tile_m=96",
          "cta_m=256 warpgroups=2 epilogue_tile_m=32", "cta_m=256 cta_n=32",
          "cta_m=128 epilogue_tile_m=32 cta_n=96 cta_k=64"})
        expect_product(product_of('N', 'N', 300, 70, 100), rounded_schedule(more));
}

TEST(Tf32Gemm, ClustersMulticastLoads) {
    expect_product(product_of('N', 'N', 300, 300, 40),
                   rounded_schedule("cluster_m=2 cta_n=128 epilogue_tile_m=32"));
    expect_product(product_of('N', 'T', 300, 300, 40), rounded_schedule("cluster_n=2 cta_m=128"));
}

TEST(Tf32Gemm, AddsRunsAndDoesNotReadC) {
    expect_product(product_of('N', 'N', 70, 66, 200), rounded_schedule("accumulation_interval=2"));
    expect_product(product_of('N', 'N', 70, 66, 70), rounded_schedule(), false);
}

TEST(Tf32Gemm, OfABatchAndOfRows) {
    MatrixProduct product = product_of('N', 'T', 64, 40, 72);
    product.batch = 3;
    product.a.batch_stride = 64 * 72;
    product.b.batch_stride = 40 * 72;
    product.c.batch_stride = 64 * 40;
    expect_product(product, rounded_schedule());
    product.b.batch_stride = 0;
    expect_product(product, rounded_schedule());
    MatrixProduct by_rows = product_of('T', 'N', 64, 40, 72);
    by_rows.c = {40, 1};
    expect_product(by_rows, rounded_schedule());
}

TEST(Tf32Gemm, AKernelMakesAKMajor) {
    const std::string output_layout = "transpose_a=1";
    for (const char b : {'N', 'T'}) {
        expect_product(product_of('N', b, 127, 63, 70), rounded_schedule(output_layout));
        expect_product(product_of('T', b, 65, 130, 8), rounded_schedule(output_layout));
    }
    expect_product(
        product_of('N', 'N', 200, 130, 72),
        rounded_schedule(output_layout + " cta_n=128 warpgroups=2 cluster_m=2 accumulation_interval=2"),
        false);
    MatrixProduct batch = product_of('N', 'N', 64, 40, 72);
    batch.batch = 3;
    batch.a.batch_stride = 64 * 72;
    batch.b.batch_stride = 40 * 72;
    batch.c.batch_stride = 64 * 40;
    expect_product(batch, rounded_schedule(output_layout));
    batch.a.batch_stride = 0;
    expect_product(batch, rounded_schedule(output_layout));
    MatrixProduct odd = product_of('N', 'N', 60, 40, 33);
    odd.a.column_stride = 61;
    expect_product(odd, rounded_schedule(output_layout));
    MatrixProduct by_rows = product_of('N', 'T', 64, 40, 72);
    by_rows.c = {40, 1};
    expect_product(by_rows, rounded_schedule(output_layout));
}

TEST(Tf32Gemm, TransposesOnlyMnMajorOperands) {
    const auto kernels = [](char a, char b, const char* more = "") {
        return gpu_gemm_kernels(product_of(a, b, 64, 64, 64), rounded_schedule(more), gpu()).size();
    };
    EXPECT_EQ(kernels('N', 'N', "transpose_a=1"), 2);
    EXPECT_EQ(kernels('T', 'N', "transpose_a=1"), 1);
    EXPECT_EQ(kernels('N', 'T', "transpose_a=1"), 3);
    EXPECT_EQ(kernels('N', 'N'), 1);
    EXPECT_EQ(kernels('T', 'N'), 1);
    EXPECT_EQ(kernels('N', 'T'), 2);
    EXPECT_EQ(kernels('T', 'T'), 2);
}

/// Pairs of 32 threads take two wavefronts, that is 256 bytes.
TEST(Tf32Gemm, HasNoBankConflicts) {
    for (const char* more : {"", "cta_m=128", "cta_m=128 warpgroups=2"}) {
        const Interpreted result(product_of('N', 'N', 128, 64, 64), rounded_schedule(more), {});
        EXPECT_EQ(result.report.bank_conflict_cycles(), 0) << more;
    }
    const Interpreted output_layout(product_of('N', 'T', 64, 64, 64), rounded_schedule(), {});
    EXPECT_EQ(output_layout.report.bank_conflict_cycles(), 0);
}

TEST(Tf32Gemm, ObjectsToWhatCannotBe) {
    const auto why = [](const MatrixProduct& product, const std::string& more) {
        return infeasibility(rounded_schedule(more), product, gpu()).value_or("nothing");
    };
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    EXPECT_EQ(why(product, ""), "nothing");
    for (const auto& [more, word] : {std::pair{"cta_m=96", "cta_m"},
                                     {"tf32=0", "operands are float32"},
                                     {"cta_m=192", "cta_m"},
                                     {"cta_n=36", "cta_n"},
                                     {"cta_m=256 cta_n=16 epilogue_tile_m=32", "epilogue_tile_m"},
                                     {"cta_k=16", "cta_k"}})
        EXPECT_NE(why(product, more).find(word), std::string::npos) << more << ": " << why(product, more);
    MatrixProduct odd = product;
    odd.a.column_stride = 129;
    EXPECT_NE(why(odd, "").find("A"), std::string::npos) << why(odd, "");
    EXPECT_EQ(why(odd, "transpose_a=1"), "nothing") << "a kernel of threads reads it";
    MatrixProduct any = product_of('N', 'T', 128, 128, 128);
    any.b.row_stride = 129;
    EXPECT_EQ(why(any, ""), "nothing") << "a kernel of threads reads it";
    MatrixProduct halves = product;
    halves.a_type = halves.b_type = DataType::bfloat16;
    EXPECT_NE(why(halves, "cta_k=64").find("bfloat16"), std::string::npos);
}

TEST(GpuSchedules, SayWhoMultipliesWhat) {
    const auto words = [](const MatrixProduct& product, const char* schedule) {
        return arithmetic_of(parse_gpu_schedule(schedule), product);
    };
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    MatrixProduct halves = product;
    halves.a_type = halves.b_type = DataType::float16;
    EXPECT_EQ(words(product, ""), "threads multiply float32");
    EXPECT_EQ(words(halves, ""), "threads multiply float16, which becomes float32 before");
    EXPECT_EQ(words(halves, "mma_k=16"), "tensor cores multiply float16 with accumulators of float32");
    EXPECT_EQ(words(halves, "wgmma warpgroups=2"),
              "tensor cores multiply float16 with accumulators of float32");
    EXPECT_EQ(words(product, "wgmma warpgroups=2 bf16_split=3"),
              "tensor cores multiply 3 bfloat16 terms of each float32");
    EXPECT_EQ(words(product, "wgmma warpgroups=2 bf16_split=3 range_check=1"),
              "tensor cores multiply 3 bfloat16 terms of each float32; a SIMT kernel where elements are out "
              "of range");
    EXPECT_EQ(words(product, "wgmma warpgroups=2 tf32=1"),
              "tensor cores multiply float32 rounded to 11 significant bits");
}

TEST(Tf32Gemm, HasElevenBits) {
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    EXPECT_EQ(accuracy_of(rounded_schedule(), product), Accuracy::eleven_bits);
    EXPECT_EQ(parse_gpu_schedule(to_string(rounded_schedule())), rounded_schedule());
}

} // namespace tf32_test
} // namespace swirl::gemm::test
