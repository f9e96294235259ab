#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/reference.hpp"
#include "ir/verify.hpp"
#include "support/kernel_sequence.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace wgmma_test {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

GpuGemmSchedule small_schedule(const std::string& more = {}) {
    return parse_gpu_schedule(
        "wgmma cta_m=64 cta_n=64 cta_k=64 warpgroups=1 stages=2 "
        "epilogue_tile_m=64 raster_group=2 " +
        more);
}

MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer k,
                         DataType operand_type = DataType::bfloat16) {
    const auto pitch = [](Integer extent) { return ceil_divide(extent, 8) * 8; };
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, pitch(r)} : MatrixLayout{pitch(c), 1};
    };
    MatrixProduct product;
    product.data_type = DataType::float32;
    if (operand_type != DataType::float32) product.a_type = product.b_type = operand_type;
    product.rows = rows;
    product.columns = columns;
    product.k = k;
    product.a = layout(a, rows, k);
    product.b = layout(b, k, columns);
    product.c = {1, pitch(rows)};
    return product;
}

/// Quarters of small integers: exact in all types, with exact sums.
void fill_exactly(ir::Memory& memory, std::mt19937& random) {
    std::uniform_int_distribution<int> uniform(-8, 8);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 4);
}

struct Execution {
    bool multiplies = true;
    bool reads_c = true;
};

void expect_product(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                    const Execution& execution = {}) {
    SCOPED_TRACE(to_string(schedule));
    const ir::Program program = gpu_gemm_kernels(product, schedule, gpu()).front();
    ir::verify(program, ir::VerificationLevel::vectorized);
    for (const bool last_role_first : {false, true}) {
        ir::Arguments arguments(program);
        std::mt19937 random(7);
        for (const char* name : {"a", "b", "alpha_beta"}) fill_exactly(arguments[name], random);
        arguments.parameters = {execution.multiplies ? 1 : 0, execution.reads_c ? 1 : 0};
        if (execution.reads_c) fill_exactly(arguments["c"], random); // else it may not be read
        const ir::Memory before = arguments["c"];
        ir::interpret(program, arguments, {.last_role_first = last_role_first});
        expect_gaps_kept(product, before, arguments["c"]);
        const Definition definition{product,
                                    arguments["a"],
                                    arguments["b"],
                                    arguments["alpha_beta"],
                                    execution.reads_c ? &before : nullptr,
                                    execution.multiplies};
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            for (Integer i = 0; i < product.rows; ++i)
                for (Integer j = 0; j < product.columns; ++j) {
                    ASSERT_EQ(element(arguments["c"], product.c, matrix, i, j), definition.at(matrix, i, j))
                        << matrix << ", " << i << ", " << j;
                }
    }
}

/// A and B are ±1 and 0, α and β too, C's elements small: all types hold the results. C's gaps are kept.
void expect_stored_exactly(const MatrixProduct& product, const GpuGemmSchedule& schedule) {
    const ir::Program program = gpu_gemm_kernels(product, schedule, gpu()).front();
    ir::verify(program, ir::VerificationLevel::vectorized);
    for (const bool reads_c : {false, true}) {
        ir::Arguments arguments(program);
        std::mt19937 random(7);
        const auto fill = [&](const char* name, int most) {
            std::uniform_int_distribution<int> uniform(-most, most);
            ir::Memory& memory = arguments[name];
            for (Integer i = 0; i < memory.elements(); ++i) memory.set(memory.first() + i, uniform(random));
        };
        fill("a", 1);
        fill("b", 1);
        if (reads_c) fill("c", 9);
        arguments["alpha_beta"].assign(std::vector<long double>{1, -2});
        arguments.parameters = {1, reads_c ? 1 : 0};
        const ir::Memory before = arguments["c"];
        ir::interpret(program, arguments);
        expect_gaps_kept(product, before, arguments["c"]);
        const Definition definition{product, arguments["a"], arguments["b"], arguments["alpha_beta"],
                                    reads_c ? &before : nullptr};
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            for (Integer i = 0; i < product.rows; ++i)
                for (Integer j = 0; j < product.columns; ++j)
                    ASSERT_EQ(element(arguments["c"], product.c, matrix, i, j), definition.at(matrix, i, j))
                        << reads_c << ": " << matrix << ", " << i << ", " << j;
    }
}

TEST(WgmmaGemm, IsTheProductForEveryTransposition) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_product(product_of(a, b, 128, 64, 128), small_schedule());
}

TEST(WgmmaGemm, HasEdgesAnywhere) {
    for (const auto& [rows, columns, k_extent] :
         {std::array{1, 1, 1}, {65, 130, 8}, {127, 63, 70}, {200, 3, 129}, {150, 130, 64}})
        expect_product(product_of('N', 'N', rows, columns, k_extent), small_schedule());
}

TEST(WgmmaGemm, WarpgroupsShareColumns) {
    for (const int warpgroups : {1, 2, 3})
        expect_product(
            product_of('T', 'N', 70, 200, 100),
            small_schedule(fmt::format("warpgroups={} cta_n={} stages=3", warpgroups, 64 * warpgroups)));
}

TEST(WgmmaGemm, ClustersMulticastLoads) {
    const MatrixProduct product = product_of('N', 'T', 300, 300, 130);
    expect_product(product, small_schedule("cluster_m=2 cta_n=128"));
    expect_product(product, small_schedule("cluster_n=2 cta_m=128"));
}

TEST(WgmmaGemm, TilesHaveAnyMultipleOf32Rows) {
    for (const char a : {'N', 'T'})
        expect_product(product_of(a, 'N', 170, 70, 40), small_schedule("cta_m=160 epilogue_tile_m=32"));
    expect_product(product_of('N', 'T', 100, 130, 40),
                   small_schedule("cta_m=96 cta_n=128 warpgroups=2 epilogue_tile_m=32 cluster_m=2"));
}

/// C's columns in shared memory then have 64 bytes, or 32, in place of 128.
TEST(WgmmaGemm, TilesHaveAnyMultipleOf16Rows) {
    for (const char a : {'N', 'T'}) {
        expect_product(product_of(a, 'N', 170, 70, 40), small_schedule("cta_m=80 epilogue_tile_m=16"));
        expect_product(product_of(a, 'T', 150, 130, 40),
                       small_schedule("cta_m=144 epilogue_tile_m=48 cta_n=128 warpgroups=1"));
    }
    expect_product(product_of('N', 'N', 230, 260, 130),
                   small_schedule("cta_m=112 cta_n=256 warpgroups=2 epilogue_tile_m=16 cluster_m=2"));
}

TEST(WgmmaGemm, BlocksOfAClusterShareK) {
    for (const auto& [splits, rows, columns, k_extent] :
         {std::array{2, 64, 64, 128}, {4, 127, 65, 200}, {8, 13, 70, 460}})
        expect_product(product_of('N', 'N', rows, columns, k_extent),
                       small_schedule(fmt::format("split_k={}", splits)));
    expect_product(product_of('T', 'T', 66, 130, 130),
                   small_schedule("split_k=2 cta_n=128 warpgroups=2 stages=3"));
    const MatrixProduct product = product_of('N', 'N', 37, 40, 70);
    for (const bool multiplies : {false, true})
        for (const bool reads_c : {false, true})
            expect_product(product, small_schedule("split_k=2"),
                           {.multiplies = multiplies, .reads_c = reads_c});
    MatrixProduct batch = product_of('N', 'N', 64, 40, 136);
    batch.batch = 3;
    batch.a.batch_stride = 64 * 136;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 64 * 40;
    expect_product(batch, small_schedule("split_k=2"));
}

/// Without shared memory for C, whatever its edges, its type and β.
TEST(WgmmaGemm, ThreadsStoreCFromRegisters) {
    const std::string from_registers = "epilogue_tile_m=0 ";
    for (const Integer rows : {64, 100, 131})
        expect_product(product_of('N', 'N', rows, 70, 90), small_schedule(from_registers));
    expect_product(product_of('T', 'T', 130, 130, 64),
                   small_schedule(from_registers + "cta_m=96 cta_n=128 warpgroups=2 cluster_m=2"));
    expect_product(product_of('N', 'N', 70, 66, 200),
                   small_schedule(from_registers + "accumulation_interval=2"));
    for (const bool multiplies : {false, true})
        expect_product(product_of('N', 'N', 37, 40, 70), small_schedule(from_registers),
                       {.multiplies = multiplies, .reads_c = false});
    MatrixProduct batch = product_of('N', 'N', 64, 40, 72);
    batch.batch = 3;
    batch.a.batch_stride = 64 * 72;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 64 * 40;
    expect_product(batch, small_schedule(from_registers));
    for (const DataType data_type : {DataType::float32, DataType::bfloat16}) {
        MatrixProduct product = product_of('T', 'N', 131, 70, 64);
        if (data_type != DataType::float32) product.c_type = data_type;
        expect_stored_exactly(product, small_schedule(from_registers + "cta_m=128 cta_n=128 warpgroups=2"));
    }
    // The last cluster has a block whose tile lies outside C.
    expect_stored_exactly(product_of('T', 'N', 192, 128, 64),
                          small_schedule(from_registers + "cta_n=128 warpgroups=2 cluster_m=2"));
    expect_stored_exactly(product_of('T', 'N', 128, 192, 64),
                          small_schedule(from_registers + "cta_m=128 cluster_n=2"));
}

/// Numbers of 24 bits, whose terms are all needed.
void expect_product_of_terms(const MatrixProduct& product, const std::string& more = {}) {
    support::KernelSequence kernels(
        gpu_gemm_kernels(product, small_schedule("bf16_split=3 accumulation_interval=1 " + more), gpu()));
    ASSERT_EQ(kernels.programs().size(), 3);
    std::mt19937 random(9);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (const char* name : {"a", "b"}) {
        ir::Memory& memory = kernels.memory(name);
        for (Integer i = 0; i < memory.elements(); ++i) memory.set(memory.first() + i, uniform(random));
    }
    kernels.memory("alpha_beta").assign(std::vector<long double>{1, 0});
    kernels.run({1, 0});
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                long double expected = 0, magnitude = 0;
                for (Integer k = 0; k < product.k; ++k) {
                    const long double term = element(kernels.memory("a"), product.a, matrix, i, k) *
                                             element(kernels.memory("b"), product.b, matrix, k, j);
                    expected += term;
                    magnitude += std::abs(term);
                }
                ASSERT_LE(std::abs(element(kernels.memory("c"), product.c, matrix, i, j) - expected),
                          magnitude * 0x1p-22L)
                    << matrix << ": " << i << ", " << j;
            }
}

/// Strides that TMA has not: odd ones, those of a single column or matrix, negative ones.
TEST(WgmmaGemm, ThreadsStoreCWithAnyColumnStride) {
    for (const char* more : {"epilogue_tile_m=0", "split_k=2"})
        for (const auto& [rows, stride] : {std::array<Integer, 2>{66, 66}, {67, 70}, {71, -71}}) {
            MatrixProduct product = product_of('N', 'N', rows, 66, 72);
            product.c.column_stride = stride;
            expect_product(product, small_schedule(more), {.reads_c = false});
            product.batch = 2;
            product.a.batch_stride = product.a.column_stride * product.k;
            product.b.batch_stride = 0;
            product.c.batch_stride = 66 * 72 + 1;
            expect_product(product, small_schedule(more));
        }
    for (const DataType data_type : {DataType::float32, DataType::bfloat16}) {
        MatrixProduct product = product_of('T', 'N', 131, 70, 64);
        product.c.column_stride = 133;
        if (data_type != DataType::float32) product.c_type = data_type;
        expect_stored_exactly(product, small_schedule("epilogue_tile_m=0 cta_m=128 cta_n=128 warpgroups=2"));
    }
    MatrixProduct product = product_of('N', 'T', 67, 41, 91, DataType::float32);
    product.a.column_stride = product.c.column_stride = 67;
    product.b.row_stride = 41;
    expect_product_of_terms(product, "epilogue_tile_m=0");
}

TEST(WgmmaGemm, BetaZeroSkipsCAndAlphaZeroSkipsOperands) {
    const MatrixProduct product = product_of('N', 'N', 100, 70, 90);
    for (const bool multiplies : {false, true})
        expect_product(product, small_schedule(), {.multiplies = multiplies, .reads_c = false});
    expect_product(product, small_schedule(), {.multiplies = false});
}

TEST(WgmmaGemm, OfABatch) {
    MatrixProduct product = product_of('N', 'N', 64, 40, 72);
    product.batch = 3;
    product.a.batch_stride = 64 * 72;
    product.b.batch_stride = 0;
    product.c.batch_stride = 64 * 40;
    expect_product(product, small_schedule());
}

TEST(WgmmaGemm, StoresCInItsOwnType) {
    MatrixProduct product = product_of('N', 'T', 100, 70, 40);
    product.c_type = DataType::bfloat16;
    const GpuGemmSchedule schedule = small_schedule("epilogue_tile_m=64");
    const ir::Program program = gpu_gemm_kernels(product, schedule, gpu()).front();
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(7);
    for (const char* name : {"a", "b"}) fill_exactly(arguments[name], random);
    fill_exactly(arguments["alpha_beta"], random);
    arguments.parameters = {1, 0};
    ir::interpret(program, arguments);
    for (Integer i = 0; i < product.rows; ++i)
        for (Integer j = 0; j < product.columns; ++j) {
            long double expected = 0;
            for (Integer k = 0; k < product.k; ++k)
                expected +=
                    element(arguments["a"], product.a, 0, i, k) * element(arguments["b"], product.b, 0, k, j);
            expected *= arguments["alpha_beta"][0];
            ASSERT_NEAR(static_cast<double>(element(arguments["c"], product.c, 0, i, j)),
                        static_cast<double>(expected), static_cast<double>(std::abs(expected)) / 256);
        }
}

/// TMA stores write whole chunks, so the last rows of C would overwrite the caller's memory.
TEST(WgmmaGemm, StoresOnlyC) {
    for (const DataType data_type : {DataType::float32, DataType::bfloat16, DataType::float16})
        for (const Integer rows : {1, 7, 63, 66, 131}) {
            MatrixProduct product = product_of('T', 'N', rows, 70, 64);
            if (data_type != DataType::float32) product.c_type = data_type;
            for (const char* more :
                 {"", "cta_m=128 epilogue_tile_m=64 warpgroups=2 cta_n=128", "cluster_n=2 cta_m=128",
                  "cta_m=80 epilogue_tile_m=16", "cta_m=96 epilogue_tile_m=32 cta_n=128"}) {
                SCOPED_TRACE(fmt::format("{}, {} rows, {}", name_of(data_type), rows, more));
                expect_stored_exactly(product, small_schedule(more));
            }
        }
}

TEST(WgmmaGemm, StoresOnlyMatricesOfABatch) {
    MatrixProduct product = product_of('T', 'N', 69, 70, 64);
    product.c_type = DataType::bfloat16;
    product.batch = 2;
    product.a.batch_stride = 69 * 64;
    product.b.batch_stride = 0;
    product.c.batch_stride = 72 * 71;
    expect_stored_exactly(product, small_schedule());
}

TEST(WgmmaGemm, PromotesAccumulatorsByInterval) {
    for (const Integer k : {60, 64, 200, 320})
        for (const int run : {1, 2, 3})
            expect_product(product_of('N', 'N', 70, 66, k),
                           small_schedule(fmt::format("accumulation_interval={}", run)));
}

TEST(WgmmaGemm, ObjectsToWhatCannotBe) {
    const auto why = [](const MatrixProduct& product, const std::string& more) {
        return infeasibility(small_schedule(more), product, gpu()).value_or("nothing");
    };
    const MatrixProduct product = product_of('N', 'N', 128, 128, 128);
    EXPECT_EQ(why(product, ""), "nothing");
    for (const auto& [more, word] : {std::pair{"warpgroups=4", "warpgroups"},
                                     {"cta_m=72", "cta_m"},
                                     {"split_k=3", "split_k is 3"},
                                     {"split_k=4", "fewer k-tiles"},
                                     {"split_k=2 cta_n=128 cluster_m=2", "split_k is 2"},
                                     {"cta_n=96", "cta_n"},
                                     {"cta_k=32", "cta_k"},
                                     {"epilogue_tile_m=48", "epilogue_tile_m"},
                                     {"cta_m=256 cta_n=128", "accumulators"},
                                     {"cluster_m=2 cluster_n=2", "cluster_m is 2 and cluster_n 2"},
                                     {"cluster_m=2", "multiples of 64 × cluster_n"},
                                     {"bf16_split=3", "bf16_split is 3"},
                                     {"stages=32", "shared memory"}})
        EXPECT_NE(why(product, more).find(word), std::string::npos) << more << ": " << why(product, more);
    MatrixProduct flat = product;
    flat.k = 0;
    EXPECT_NE(why(flat, "").find("K is 0"), std::string::npos) << why(flat, "");
    MatrixProduct odd = product;
    odd.a.column_stride = 129;
    EXPECT_NE(why(odd, "").find("A"), std::string::npos) << why(odd, "");
    MatrixProduct e4m3 = product_of('N', 'N', 128, 128, 128, DataType::float8_e4m3);
    EXPECT_NE(why(e4m3, "cta_k=128 cta_m=128").find("K-major only"), std::string::npos);
    EXPECT_TRUE(infeasibility(small_schedule(), product, target::gpu_named("sm_80")));
}

TEST(WgmmaGemm, OfBf16SplitIsThatOfFloat32) {
    expect_product_of_terms(product_of('N', 'T', 70, 40, 90, DataType::float32));
}

TEST(WgmmaGemm, OfTermsMayShareAMatrixInABatch) {
    MatrixProduct product = product_of('N', 'T', 66, 40, 70, DataType::float32);
    product.batch = 3;
    product.c.batch_stride = 72 * 40;
    for (const auto& [a, b] : {std::pair<Integer, Integer>{0, 40 * 70}, {72 * 70, 0}, {0, 0}}) {
        product.a.batch_stride = a;
        product.b.batch_stride = b;
        expect_product_of_terms(product);
    }
}

/// Kernels that split see a matrix as the caller has it, and the one that multiplies perhaps its transpose.
TEST(WgmmaGemm, Bf16SplitSupportsAllStrides) {
    for (const bool by_rows : {false, true}) {
        MatrixProduct product = product_of('N', 'T', 8, 12, 20, DataType::float32);
        if (by_rows) product.c = {12, 1};
        for (const auto& [a, b] : {std::pair{MatrixLayout{2, 17}, MatrixLayout{25, 2}},
                                   {MatrixLayout{41, 2}, MatrixLayout{-2, 43}},
                                   {MatrixLayout{3, -25}, MatrixLayout{-38, -3}},
                                   {MatrixLayout{1, 1}, MatrixLayout{16, 16}}}) {
            product.a = a;
            product.b = b;
            expect_product_of_terms(product);
        }
        MatrixProduct row = product_of('N', 'N', by_rows ? 16 : 1, by_rows ? 1 : 16, 24, DataType::float32);
        if (by_rows) row.c = {4, 1};
        for (const Integer stride : {1, 16, -16}) {
            (by_rows ? row.b : row.a) = by_rows ? MatrixLayout{1, stride} : MatrixLayout{stride, 1};
            expect_product_of_terms(row);
            (by_rows ? row.b : row.a) = by_rows ? MatrixLayout{16, stride} : MatrixLayout{stride, 16};
            expect_product_of_terms(row);
        }
    }
}

TEST(Bf16Terms, SumToTheirValue) {
    const MatrixLayout layout = {1, 12};
    const ir::Program program = bf16_split_kernel(ir::ArgumentRole::a, {layout, 11, 5, 1, 3});
    ir::verify(program, ir::VerificationLevel::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (Integer i = 0; i < arguments["a"].elements(); ++i) arguments["a"].set(i, uniform(random));
    ir::interpret(program, arguments);
    const Bf16SplitLayout terms = bf16_split_layout(layout, 11, 5, 1, 3);
    for (Integer i = 0; i < 11; ++i)
        for (Integer j = 0; j < 5; ++j) {
            long double sum = 0;
            for (Integer term = 0; term < 3; ++term)
                sum += arguments["a_bf16_split"][term * terms.plane() + j * terms.pitch + i];
            EXPECT_EQ(sum, arguments["a"][j * 12 + i]);
        }
}

TEST(Bf16Terms, ProductsComeFromTheSmallestOn) {
    const std::vector<std::array<int, 2>> expected = {{0, 2}, {1, 1}, {2, 0}, {0, 1}, {1, 0}, {0, 0}};
    EXPECT_EQ(bf16_split_products(3), expected);
}

} // namespace wgmma_test
} // namespace swirl::gemm::test
