// Products of which the copy engine brings pieces of A and B to threads that multiply.

#include "gemm/gpu_product.hpp"

#include "../support/error_of.hpp"
#include "gpu_product_run.hpp"

#include <gtest/gtest.h>

#include <random>

namespace swirl::gemm::test {
namespace {

const std::string small =
    "block_rows=32 block_columns=16 block_depth=8 thread_rows=4 thread_columns=4 "
    "lane_rows=8 lane_columns=4 stages=3 group=2 a_bulk=1 b_bulk=1 ";

/// What of an operand that lies along the depth is done: lines stay so, of which threads load single steps or a chunk; or they are turned.
enum class Along : std::uint8_t { single, chunks, turned };

/// The schedule for operands that lie as the BLAS's letters say.
GpuSchedule suited(const std::string& text, char a, char b, Along along, Number number = Number::float32) {
    GpuSchedule schedule = parse_gpu_schedule(text);
    const int value = along == Along::turned ? 3 : 2;
    const int steps = along != Along::chunks ? 1 : number == Number::float64 ? 2 : 4;
    if (a == 'T' && schedule.a_bulk > 0) {
        schedule.a_bulk = value;
        schedule.a_steps = steps;
    }
    if (b == 'N' && schedule.b_bulk > 0) {
        schedule.b_bulk = value;
        schedule.b_steps = steps;
    }
    return schedule;
}

void expect_products(Integer rows, Integer columns, Integer depth, Integer more, const std::string& text) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            for (const Along along : {Along::single, Along::chunks, Along::turned})
                if (a == 'T' || b == 'N' || along == Along::single)
                    expect_product(product_of(a, b, rows, columns, depth, more), suited(text, a, b, along));
}

TEST(GpuBulkProduct, IsTheProductForEveryTransposition) {
    expect_products(64, 48, 40, 0, small);
    for (const Along along : {Along::single, Along::chunks, Along::turned})
        expect_product(product_of('T', 'N', 64, 48, 40, 0, Number::float64),
                       suited(small, 'T', 'N', along, Number::float64));
}

TEST(GpuBulkProduct, ThreadsMayCopyOneOfTheOperands) {
    expect_products(64, 48, 40, 0, small + "a_bulk=0");
    expect_products(60, 28, 36, 4, small + "b_bulk=0");
    expect_product(product_of('N', 'T', 60, 31, 39, 4), suited(small + "b_bulk=0", 'N', 'T', Along::single));
}

/// Rows of boxes begin at whole chunks of lines along the depth, however many steps are missing before the first.
TEST(GpuBulkProduct, BeginsAtChunksOfLines) {
    const std::string deep = small + "block_depth=64 slices=4 ";
    for (const Integer depth : {81, 82, 83, 84, 85})
        for (const Along along : {Along::single, Along::chunks, Along::turned}) {
            const Integer more = ceil_divide(depth, 4) * 4 - depth;
            for (const char a : {'N', 'T'}) {
                MatrixProduct product = product_of(a, 'N', 64, 20, depth, more);
                product.a = a == 'N' ? MatrixLayout{1, 64} : MatrixLayout{depth + more, 1};
                product.c = {1, 64};
                expect_product(product, suited(deep, a, 'N', along));
            }
        }
    MatrixProduct product = product_of('T', 'N', 32, 32, 83, 1, Number::float64);
    expect_product(product, suited(small + "splits=2", 'T', 'N', Along::chunks, Number::float64));
}

/// Of neighbours along the other extent than the depth the last tile has to begin at a whole chunk, too.
TEST(GpuBulkProduct, HasZerosOutsideOfOperands) {
    const auto is_cut = [](char neighbours, char letter, Integer extent, Integer tile) {
        return letter == neighbours && extent % tile != 0 && extent % 4 != 0;
    };
    for (const auto& [rows, columns, depth] :
         {std::array{33, 17, 21}, {63, 31, 3}, {36, 20, 2}, {92, 28, 11}, {64, 48, 13}, {96, 19, 70}})
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                for (const Along along : {Along::single, Along::chunks, Along::turned}) {
                    if (a == 'N' && b == 'T' && along != Along::single) continue;
                    const auto pitch = [](Integer length) { return ceil_divide(length, 4) * 4; };
                    MatrixProduct product = product_of(a, b, rows, columns, depth);
                    (a == 'N' ? product.a.column_stride : product.a.row_stride) =
                        pitch(a == 'N' ? rows : depth);
                    (b == 'N' ? product.b.column_stride : product.b.row_stride) =
                        pitch(b == 'N' ? depth : columns);
                    const GpuSchedule schedule = suited(small, a, b, along);
                    const bool is_refused = is_cut('N', a, rows, 32) || is_cut('T', b, columns, 16);
                    const std::string why = objection(schedule, product, gpu()).value_or("");
                    EXPECT_EQ(why.find("the last of its tiles") != std::string::npos, is_refused) << why;
                    if (!is_refused) expect_product(product, schedule);
                }
}

TEST(GpuBulkProduct, EveryNumberOfPiecesFitsStages) {
    for (Integer depth = 4; depth <= 64; depth += 4)
        for (const char* stages : {"stages=2", "stages=3", "stages=5"})
            for (const Along along : {Along::chunks, Along::turned})
                expect_product(product_of('N', 'N', 32, 16, depth), suited(small + stages, 'N', 'N', along));
}

TEST(GpuBulkProduct, BlocksAndSlicesShareTheDepth) {
    const std::string deep = small + "block_depth=16 ";
    expect_products(40, 20, 52, 0, deep + "slices=2");
    for (const char* splits : {"splits=2", "splits=4", "splits=4 slices=2",
                               "splits=8 through_memory=1 thread_columns=8 block_columns=32"})
        for (const Along along : {Along::chunks, Along::turned})
            expect_product(product_of('T', 'N', 40, 36, 128), suited(deep + splits, 'T', 'N', along));
    expect_product(product_of('N', 'N', 32, 16, 256),
                   suited(small + "block_depth=64 slices=2 splits=2", 'N', 'N', Along::chunks));
    for (const char* splits : {"splits=2 interleaved=1", "splits=4 slices=2 interleaved=1"})
        for (const Along along : {Along::chunks, Along::turned})
            for (const Integer depth : {20, 116, 128})
                expect_product(product_of('T', 'N', 40, 36, depth), suited(deep + splits, 'T', 'N', along));
}

TEST(GpuBulkProduct, OfBatches) {
    MatrixProduct product = product_of('N', 'N', 40, 20, 28);
    product.batch = 3;
    product.a.batch_stride = 1200;
    product.b.batch_stride = 0;
    product.c.batch_stride = 800;
    for (const Along along : {Along::single, Along::chunks, Along::turned})
        expect_product(product, suited(small, 'N', 'N', along));
    product.b.batch_stride = 560;
    expect_product(product, suited(small, 'N', 'N', Along::turned));
}

/// Rows of C may be next to each other, and A and B exchanged.
TEST(GpuBulkProduct, OfProductsThatAreTurned) {
    MatrixProduct product = product_of('N', 'N', 48, 64, 20);
    product.c = {64, 1};
    expect_product(product, suited(small, 'T', 'T', Along::chunks));
}

TEST(GpuBulkProduct, IsReadWithoutConflictsOfBanks) {
    const std::string usual =
        "block_rows=128 block_columns=64 thread_rows=8 thread_columns=8 lane_rows=8 "
        "lane_columns=4 stages=2 c_lanes=4 a_bulk=1 b_bulk=1 ";
    const MatrixProduct product = product_of('N', 'N', 128, 64, 64);
    const auto lost = [&](const std::string& more, Along along, const char* buffer) {
        const GpuSchedule schedule = suited(usual + more, 'N', 'N', along);
        const ir::Program program = gpu_product(product, schedule, gpu()).front();
        const ir::InterpreterReport report = expect_product(product, schedule);
        Integer cycles = 0;
        for (std::size_t k = 0; k < program.buffers.size(); ++k)
            if (program.buffers[k].name == buffer) cycles += report.loads[k].extra_cycles;
        return cycles;
    };
    for (const char* depth : {"block_depth=8", "block_depth=16", "block_depth=32", "block_depth=64"}) {
        EXPECT_EQ(lost(depth, Along::chunks, "a_pieces"), 0);
        EXPECT_EQ(lost(depth, Along::chunks, "b_pieces"), 0) << depth;
        EXPECT_EQ(lost(depth, Along::turned, "b_pieces"), 0) << depth;
        EXPECT_EQ(lost(depth, Along::turned, "b_lines"), 0) << depth;
    }
}

TEST(GpuBulkProduct, SaysWhatTheCopyEngineCannotBring) {
    const auto why = [](const MatrixProduct& product, const std::string& more,
                        const target::Gpu& device = gpu()) {
        return objection(parse_gpu_schedule(small + more), product, device).value_or("");
    };
    const MatrixProduct product = product_of('N', 'T', 64, 48, 40);
    EXPECT_EQ(why(product, ""), "");
    const auto expect_contains = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    expect_contains(why(product, "", target::gpu_named("sm_80")), "sm_80 has no copy engine for pieces");
    expect_contains(why(product, "b_bulk=4"), "b_bulk 4; 0 … 3 are possible");
    expect_contains(why(product, "b_bulk=2"), "neighbours along the depth are 48 apart");
    expect_contains(why(product_of('T', 'T', 64, 48, 39, 1), "a_bulk=2 b_bulk=0"),
                    "pieces begin 1 steps before the first");
    expect_contains(why(product_of('T', 'T', 64, 48, 40), ""),
                    "neighbours along the other extent are 40 apart");
    expect_contains(why(product_of('N', 'T', 63, 48, 40), ""), "a stride of 63 elements");
    expect_contains(why(product, "matrices=2"), "2 matrices in a block");
    MatrixProduct narrow = product;
    narrow.a_number = Number::bfloat16;
    expect_contains(why(narrow, ""), "numbers are bfloat16, and sums of float32");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_bulk=2 block_depth=10"),
                    "multiples of 4 are possible");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_bulk=3 block_depth=32"),
                    "32 threads turn lines of 8 chunks; multiples of 64");
    expect_contains(why(product_of('N', 'N', 64, 48, 40), "b_bulk=2 zigzag=1"), "zigzag is 1");
    MatrixProduct lists = product;
    lists.batch = 2;
    lists.listed = true;
    lists.list_alignment = 16;
    expect_contains(why(lists, ""), "lists of pointers");
}

/// Random schedules and extents, whatever suits.
TEST(GpuBulkProduct, IsTheProductForRandomSchedules) {
    std::mt19937 random(20);
    const auto one_of = [&](std::initializer_list<int> values) {
        return values.begin()[random() % values.size()];
    };
    for (int made = 0, tried = 0; made < 60; ++tried) {
        ASSERT_LT(tried, 3000);
        GpuSchedule schedule;
        schedule.lane_rows = one_of({2, 4, 8, 16});
        schedule.lane_columns = 32 / schedule.lane_rows;
        schedule.thread_rows = one_of({1, 2, 4, 8});
        schedule.thread_columns = one_of({1, 2, 3, 4});
        schedule.block_rows = schedule.lane_rows * schedule.thread_rows * one_of({1, 2});
        schedule.block_columns = schedule.lane_columns * schedule.thread_columns * one_of({1, 2});
        schedule.block_depth = one_of({4, 8, 12, 16, 32});
        schedule.slices = one_of({1, 1, 2});
        schedule.stages = one_of({2, 3, 4, 7});
        schedule.splits = one_of({1, 1, 1, 2, 4});
        schedule.group = one_of({1, 2, 8});
        schedule.spread = one_of({0, 1});
        schedule.a_bulk = one_of({0, 1, 2, 3});
        schedule.b_bulk = one_of({0, 1, 2, 3});
        schedule.a_steps = schedule.a_bulk % 3 == 2 ? one_of({1, 2, 4}) : 1;
        schedule.b_steps = schedule.b_bulk % 3 == 2 ? one_of({1, 2, 4}) : 1;
        const Integer depth = 4 * one_of({1, 4, 5, 11, 16});
        const MatrixProduct product =
            product_of(schedule.a_bulk < 2 ? 'N' : 'T', schedule.b_bulk < 2 ? 'T' : 'N',
                       schedule.block_rows + 4 * one_of({0, 1, 5}),
                       schedule.block_columns + 4 * one_of({0, 1, 5}), depth, 4 * one_of({0, 1}));
        if (!schedule.has_bulk() || objection(schedule, product, gpu())) continue;
        ++made;
        SCOPED_TRACE(to_string(schedule));
        expect_product(product, schedule);
        if (HasFailure()) return;
    }
}

} // namespace
} // namespace swirl::gemm::test
