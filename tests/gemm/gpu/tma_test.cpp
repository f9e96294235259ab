// SIMT kernels with TMA loads.

#include "gemm/gpu/gemm_kernels.hpp"

#include "gemm/gpu/gemm_run.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <random>

namespace swirl::gemm::test {
namespace tma_test {

const std::string small =
    "cta_m=32 cta_n=16 cta_k=8 thread_m=4 thread_n=4 "
    "warp_lanes_m=8 warp_lanes_n=4 stages=3 raster_group=2 a_load=tma b_load=tma ";

/// How a K-major operand is kept in shared memory: K-major, read by single elements or by chunks; or transposed.
enum class Along : std::uint8_t { single, chunks, transposed };

/// The schedule for operands that lie as the BLAS's letters say.
SimtGemm suited(const std::string& text, char a, char b, Along along,
                DataType data_type = DataType::float32) {
    SimtGemm schedule = simt_schedule_of(text);
    const OperandLoad load =
        along == Along::transposed ? OperandLoad::tma_transpose : OperandLoad::tma_k_major;
    const int width = along != Along::chunks ? 1 : data_type == DataType::float64 ? 2 : 4;
    if (a == 'T' && schedule.is_tma(0)) schedule.a = {.load = load, .vector_k = width};
    if (b == 'N' && schedule.is_tma(1)) schedule.b = {.load = load, .vector_k = width};
    return schedule;
}

void expect_products(Integer rows, Integer columns, Integer k, Integer more, const std::string& text) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const Along along : {Along::single, Along::chunks, Along::transposed})
                if (a == 'T' || b == 'N' || along == Along::single)
                    expect_product(product_of(a, b, rows, columns, k, more), suited(text, a, b, along));
}

TEST(TmaGemm, IsTheProductForEveryTransposition) {
    expect_products(64, 48, 40, 0, small);
    for (const Along along : {Along::single, Along::chunks, Along::transposed})
        expect_product(product_of('T', 'N', 64, 48, 40, 0, DataType::float64),
                       suited(small, 'T', 'N', along, DataType::float64));
}

TEST(TmaGemm, ThreadsMayCopyOneOfTheOperands) {
    expect_products(64, 48, 40, 0, small + "a_load=cp_async");
    expect_products(60, 28, 36, 4, small + "b_load=cp_async");
    expect_product(product_of('N', 'T', 60, 31, 39, 4),
                   suited(small + "b_load=cp_async", 'N', 'T', Along::single));
}

/// Rows of boxes begin at a chunk of a K-major row, however many k indices are missing before the first.
TEST(TmaGemm, BoxesBeginAtChunks) {
    const std::string deep = small + "cta_k=64 sliced_k=4 ";
    for (const Integer k : {81, 82, 83, 84, 85})
        for (const Along along : {Along::single, Along::chunks, Along::transposed}) {
            const Integer more = ceil_divide(k, 4) * 4 - k;
            for (const char a : {'N', 'T'}) {
                MatrixProduct product = product_of(a, 'N', 64, 20, k, more);
                product.a = a == 'N' ? MatrixLayout{1, 64} : MatrixLayout{k + more, 1};
                product.c = {1, 64};
                expect_product(product, suited(deep, a, 'N', along));
            }
        }
    MatrixProduct product = product_of('T', 'N', 32, 32, 83, 1, DataType::float64);
    expect_product(product, suited(small + "split_k=2", 'T', 'N', Along::chunks, DataType::float64));
}

/// An MN-major last tile must begin at a chunk, too.
TEST(TmaGemm, ZeroFillsOutsideOperands) {
    const auto is_cut = [](char neighbours, char letter, Integer extent, Integer tile) {
        return letter == neighbours && extent % tile != 0 && extent % 4 != 0;
    };
    for (const auto& [rows, columns, k_extent] :
         {std::array{33, 17, 21}, {63, 31, 3}, {36, 20, 2}, {92, 28, 11}, {64, 48, 13}, {96, 19, 70}})
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                for (const Along along : {Along::single, Along::chunks, Along::transposed}) {
                    if (a == 'N' && b == 'T' && along != Along::single) continue;
                    const auto pitch = [](Integer length) { return ceil_divide(length, 4) * 4; };
                    MatrixProduct product = product_of(a, b, rows, columns, k_extent);
                    (a == 'N' ? product.a.column_stride : product.a.row_stride) =
                        pitch(a == 'N' ? rows : k_extent);
                    (b == 'N' ? product.b.column_stride : product.b.row_stride) =
                        pitch(b == 'N' ? k_extent : columns);
                    const SimtGemm schedule = suited(small, a, b, along);
                    const bool is_refused = is_cut('N', a, rows, 32) || is_cut('T', b, columns, 16);
                    const std::string why = infeasibility(schedule, product, gpu()).value_or("");
                    EXPECT_EQ(why.find("the last of its tiles") != std::string::npos, is_refused) << why;
                    if (!is_refused) expect_product(product, schedule);
                }
}

TEST(TmaGemm, AnyKTileCountWorksWithAnyStageCount) {
    for (Integer k = 4; k <= 64; k += 4)
        for (const char* stages : {"stages=2", "stages=3", "stages=5"})
            for (const Along along : {Along::chunks, Along::transposed})
                expect_product(product_of('N', 'N', 32, 16, k), suited(small + stages, 'N', 'N', along));
}

TEST(TmaGemm, CombinesSplitKAndSlicedK) {
    const std::string deep = small + "cta_k=16 ";
    expect_products(40, 20, 52, 0, deep + "sliced_k=2");
    for (const char* splits : {"split_k=2", "split_k=4", "split_k=4 sliced_k=2",
                               "split_k=8 split_k_in_workspace=1 thread_n=8 cta_n=32"})
        for (const Along along : {Along::chunks, Along::transposed})
            expect_product(product_of('T', 'N', 40, 36, 128), suited(deep + splits, 'T', 'N', along));
    expect_product(product_of('N', 'N', 32, 16, 256),
                   suited(small + "cta_k=64 sliced_k=2 split_k=2", 'N', 'N', Along::chunks));
    for (const char* splits :
         {"split_k=2 interleaved_split_k=1", "split_k=4 sliced_k=2 interleaved_split_k=1"})
        for (const Along along : {Along::chunks, Along::transposed})
            for (const Integer k : {20, 116, 128})
                expect_product(product_of('T', 'N', 40, 36, k), suited(deep + splits, 'T', 'N', along));
}

TEST(TmaGemm, OfBatches) {
    MatrixProduct product = product_of('N', 'N', 40, 20, 28);
    product.batch = 3;
    product.a.batch_stride = 1200;
    product.b.batch_stride = 0;
    product.c.batch_stride = 800;
    for (const Along along : {Along::single, Along::chunks, Along::transposed})
        expect_product(product, suited(small, 'N', 'N', along));
    product.b.batch_stride = 560;
    expect_product(product, suited(small, 'N', 'N', Along::transposed));
}

/// Rows of C may be next to each other, and A and B exchanged.
TEST(TmaGemm, OfSwappedOperands) {
    MatrixProduct product = product_of('N', 'N', 48, 64, 20);
    product.c = {64, 1};
    expect_product(product, suited(small, 'T', 'T', Along::chunks));
}

TEST(TmaGemm, IsReadWithoutBankConflicts) {
    const std::string usual =
        "cta_m=128 cta_n=64 thread_m=8 thread_n=8 warp_lanes_m=8 "
        "warp_lanes_n=4 stages=2 c_vector_m=4 a_load=tma b_load=tma ";
    const MatrixProduct product = product_of('N', 'N', 128, 64, 64);
    const auto lost = [&](const std::string& more, Along along, const char* buffer) {
        const SimtGemm schedule = suited(usual + more, 'N', 'N', along);
        const ir::Program program = gpu_gemm_kernels(product, schedule, gpu()).front();
        const ir::InterpreterReport report = expect_product(product, schedule);
        Integer cycles = 0;
        for (std::size_t k = 0; k < program.buffers.size(); ++k)
            if (program.buffers[k].name == buffer) cycles += report.loads[k].extra_cycles;
        return cycles;
    };
    for (const char* k_extent : {"cta_k=8", "cta_k=16", "cta_k=32", "cta_k=64"}) {
        EXPECT_EQ(lost(k_extent, Along::chunks, "a_k_tiles"), 0);
        EXPECT_EQ(lost(k_extent, Along::chunks, "b_k_tiles"), 0) << k_extent;
        EXPECT_EQ(lost(k_extent, Along::transposed, "b_k_tiles"), 0) << k_extent;
        EXPECT_EQ(lost(k_extent, Along::transposed, "b_rows"), 0) << k_extent;
    }
}

TEST(TmaGemm, SaysWhatTmaCannotLoad) {
    const auto why = [](const MatrixProduct& product, const std::string& more,
                        const target::Gpu& device = gpu()) {
        return infeasibility(parse_gpu_schedule(small + more), product, device).value_or("");
    };
    const MatrixProduct product = product_of('N', 'T', 64, 48, 40);
    EXPECT_EQ(why(product, ""), "");
    const auto expect_contains = [](const std::string& text, const char* expected) {
        EXPECT_NE(text.find(expected), std::string::npos) << text;
    };
    expect_contains(why(product, "", target::gpu_named("sm_80")), "sm_80 has no TMA");
    expect_contains(why(product, "b_load=tma_k_major"), "b_load is along K, and the stride along K is 48");
    expect_contains(why(product_of('T', 'T', 64, 48, 39, 1), "a_load=tma_k_major b_load=cp_async"),
                    "k-tiles begin 1 k indices before the first");
    expect_contains(why(product_of('T', 'T', 64, 48, 40), ""), "a_load is tma, and the stride along M is 40");
    expect_contains(why(product_of('N', 'T', 63, 48, 40), ""), "a stride of 63 elements");
    expect_contains(why(product, "matrices=2"), "matrices is 2");
    MatrixProduct narrow = product;
    narrow.a_type = DataType::bfloat16;
    expect_contains(why(narrow, ""), "data type is bfloat16, and accumulators are float32");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_load=tma_k_major cta_k=10"),
                    "multiples of 4 are possible");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_load=tma_transpose cta_k=32"),
                    "32 threads transpose rows of 8 chunks; multiples of 64");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_load=tma_k_major zigzag=1"), "zigzag is 1");
    MatrixProduct lists = product;
    lists.batch = 2;
    lists.listed = true;
    lists.list_alignment = 16;
    expect_contains(why(lists, ""), "pointer lists");
}

/// Random feasible schedules and extents.
TEST(TmaGemm, IsTheProductForRandomSchedules) {
    std::mt19937 random(20);
    const auto one_of = [&](std::initializer_list<int> values) {
        return values.begin()[random() % values.size()];
    };
    for (int made = 0, tried = 0; made < 60; ++tried) {
        ASSERT_LT(tried, 3000);
        const auto operand = [&] {
            const auto load = static_cast<OperandLoad>(one_of({0, 1, 2, 3}));
            return SimtOperand{.load = load,
                               .vector_k = load == OperandLoad::tma_k_major ? one_of({1, 2, 4}) : 1};
        };
        const int lanes_m = one_of({2, 4, 8, 16}), lanes_n = 32 / lanes_m;
        SimtGemm schedule;
        schedule.math = Fma{.warp_lanes = {.m = lanes_m, .n = lanes_n}};
        schedule.thread_tile = {.m = one_of({1, 2, 4, 8}), .n = one_of({1, 2, 3, 4})};
        schedule.cta_tile = {.m = lanes_m * schedule.thread_tile.m * one_of({1, 2}),
                             .n = lanes_n * schedule.thread_tile.n * one_of({1, 2}),
                             .k = one_of({4, 8, 12, 16, 32})};
        schedule.sliced_k = one_of({1, 1, 2});
        schedule.stages = one_of({2, 3, 4, 7});
        if (const int splits = one_of({1, 1, 1, 2, 4}); splits > 1)
            schedule.decomposition = SplitK{.splits = splits};
        schedule.raster_group = one_of({1, 2, 8});
        schedule.interleave_copies = one_of({0, 1}) == 1;
        schedule.a = operand();
        schedule.b = operand();
        const Integer k = 4 * one_of({1, 4, 5, 11, 16});
        const MatrixProduct product = product_of(
            schedule.a.load <= OperandLoad::tma ? 'N' : 'T', schedule.b.load <= OperandLoad::tma ? 'T' : 'N',
            schedule.cta_tile.m + 4 * one_of({0, 1, 5}), schedule.cta_tile.n + 4 * one_of({0, 1, 5}), k,
            4 * one_of({0, 1}));
        if (!schedule.has_tma() || infeasibility(schedule, product, gpu())) continue;
        ++made;
        SCOPED_TRACE(to_string(schedule));
        expect_product(product, schedule);
        if (HasFailure()) return;
    }
}

} // namespace tma_test
} // namespace swirl::gemm::test
