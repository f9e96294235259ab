#include "gemm/gpu_product.hpp"

#include "../support/error_of.hpp"
#include "gemm/gpu_model.hpp"
#include "gpu_product_run.hpp"

#include <gtest/gtest.h>

#include <set>

namespace swirl::gemm::test {
namespace {

/// One with extents of its own in every member, so small that the interpreter is done soon.
GpuSchedule small_schedule() {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=4 thread_rows=4 thread_columns=4 "
        "lane_rows=8 lane_columns=4 stages=3 group=2");
}

TEST(GpuProduct, IsTheProductForEveryTransposition) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_product(product_of(a, b, 64, 48, 20), small_schedule());
}

TEST(GpuProduct, HasTilesAtEdgesThatLieOverOthers) {
    for (const auto& [rows, columns, depth] : {std::array{33, 17, 4}, {63, 31, 5}, {95, 16, 1}, {32, 40, 13}})
        for (const char a : {'N', 'T'})
            expect_product(product_of(a, 'N', rows, columns, depth, 1), small_schedule());
}

TEST(GpuProduct, EveryDepthFitsPieces) {
    for (Integer depth = 1; depth <= 21; ++depth)
        for (const int stages : {2, 3, 5}) {
            GpuSchedule schedule = small_schedule();
            schedule.stages = stages;
            expect_product(product_of('N', 'T', 32, 16, depth), schedule);
        }
}

TEST(GpuProduct, MovesVectorsWhereElementsAreAligned) {
    for (const Number number : {Number::float32, Number::float64}) {
        const MatrixProduct product = product_of('N', 'T', 64, 32, 10, 4, number);
        GpuSchedule schedule = small_schedule();
        schedule.a_lanes = schedule.b_lanes = schedule.c_lanes = number == Number::float32 ? 4 : 2;
        expect_product(product, schedule);
    }
}

TEST(GpuProduct, KeepsLinesWhoseStepsAreNextToEachOther) {
    for (const Number number : {Number::float32, Number::float64})
        for (const char* more :
             {"", "slices=2", "spread=0", "order=columns", "thread_columns=3 block_columns=12"}) {
            const int steps = number == Number::float32 ? 4 : 2;
            GpuSchedule schedule =
                parse_gpu_schedule(to_string(small_schedule()) + " block_depth=16 " + more);
            schedule.a_steps = schedule.b_steps = steps;
            for (const Integer depth : {4, 16, 52})
                expect_product(product_of('T', 'N', 40, 19, depth, 4, number), schedule);
            schedule.a_steps = 1;
            schedule.a_lanes = schedule.c_lanes = steps;
            expect_product(product_of('N', 'N', 40, 19, 28, 4, number), schedule);
        }
    expect_product(
        product_of('N', 'N', 1, 40, 16),
        parse_gpu_schedule("block_rows=1 thread_rows=1 lane_rows=1 block_columns=8 thread_columns=1 "
                           "lane_columns=8 slices=4 block_depth=16 a_steps=4 b_steps=4"));
    GpuSchedule schedule =
        parse_gpu_schedule(to_string(small_schedule()) + " block_depth=8 b_steps=4 a_steps=2");
    schedule.splits = 4;
    expect_product(product_of('T', 'N', 40, 20, 64), schedule);
    MatrixProduct batch = product_of('T', 'N', 40, 20, 12);
    batch.batch = 3;
    batch.a.batch_stride = 480;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 800;
    schedule.splits = 1;
    schedule.matrices = 2;
    expect_product(batch, schedule);
}

TEST(GpuProduct, SlicesShareThePieces) {
    GpuSchedule schedule = small_schedule();
    schedule.block_depth = 12;
    for (const int slices : {2, 3, 6}) {
        schedule.slices = slices;
        expect_product(product_of('T', 'N', 40, 20, 30), schedule);
    }
}

TEST(GpuProduct, SplitsShareTheDepthInClusters) {
    GpuSchedule schedule = small_schedule();
    for (const int splits : {2, 4}) {
        schedule.splits = splits;
        for (const Integer depth : {16, 29, 64})
            expect_product(product_of('N', 'N', 40, 20, depth), schedule);
    }
    schedule.thread_columns = 8;
    schedule.block_columns = 32;
    schedule.splits = 8;
    schedule.slices = 2;
    expect_product(product_of('T', 'T', 33, 33, 64), schedule);
}

TEST(GpuProduct, SplitsHandOverThroughMemory) {
    GpuSchedule schedule = small_schedule();
    schedule.through_memory = 1;
    for (const int splits : {2, 8, 16}) {
        schedule.splits = splits;
        schedule.thread_columns = splits > 4 ? 8 : 4;
        schedule.block_columns = splits > 4 ? 32 : 16;
        schedule.slices = splits == 8 ? 2 : 1;
        for (const Integer depth : {64, 125}) expect_product(product_of('N', 'T', 40, 33, depth), schedule);
    }
}

TEST(GpuProduct, SplitsHavePiecesInTurns) {
    const std::string tile = to_string(small_schedule()) + " interleaved=1 ";
    for (const char* splits : {"splits=2", "splits=4", "splits=4 through_memory=1", "splits=2 stages=6"})
        for (const Integer depth : {5, 16, 29, 64, 101})
            for (const char a : {'N', 'T'})
                expect_product(product_of(a, 'N', 40, 20, depth), parse_gpu_schedule(tile + splits));
}

TEST(GpuProduct, SlicesAddUpAndFinishSharesOfColumns) {
    const std::string tile =
        to_string(small_schedule()) + " block_depth=16 thread_columns=8 block_columns=32 ";
    for (const char* slices : {"slices=2", "slices=8"})
        for (const char* splits :
             {"", "splits=2", "splits=4", "splits=2 through_memory=1", "splits=8 through_memory=1",
              "b_steps=2 splits=4", "b_steps=2 splits=8 through_memory=1"}) {
            const GpuSchedule schedule = parse_gpu_schedule(tile + slices + " " + splits);
            if (!objection(schedule, product_of('N', 'N', 40, 33, 120), gpu()))
                expect_product(product_of('N', 'N', 40, 33, 120), schedule);
            expect_product(product_of('N', 'N', 34, 36, 128), schedule);
        }
}

TEST(GpuProduct, ManySplitsShareRowsToo) {
    const std::string tile =
        to_string(small_schedule()) +
        " thread_columns=8 block_columns=32 thread_rows=8 block_rows=64 through_memory=1 ";
    for (const char* more :
         {"splits=16", "splits=32 slices=2 block_depth=8 interleaved=1", "splits=16 c_lanes=4"}) {
        const GpuSchedule schedule = parse_gpu_schedule(tile + more);
        expect_product(product_of('N', 'T', 72, 36, 256), schedule);
        expect_product(product_of('T', 'N', 68, 33, 256), schedule, {.reads_c = false});
    }
}

TEST(GpuProduct, RowsOfCMayBeNextToEachOtherOrNothing) {
    MatrixProduct product = product_of('N', 'T', 40, 36, 9);
    product.c = {36, 1};
    expect_product(product, small_schedule());
    product.c = {-3, 200};
    expect_product(product, small_schedule());
}

TEST(GpuProduct, OfBatches) {
    MatrixProduct product = product_of('N', 'N', 40, 20, 7);
    product.batch = 3;
    product.a.batch_stride = 300;
    product.b.batch_stride = 0;
    product.c.batch_stride = 800;
    expect_product(product, small_schedule());
}

TEST(GpuProduct, BlocksHaveSeveralMatricesOfABatch) {
    for (const Integer batch : {1, 7, 8}) {
        MatrixProduct product = product_of('N', 'T', 8, 8, 5);
        product.batch = batch;
        product.a.batch_stride = 50;
        product.b.batch_stride = 40;
        product.c.batch_stride = 64;
        GpuSchedule schedule = parse_gpu_schedule(
            "block_rows=8 block_columns=8 block_depth=4 thread_rows=2 thread_columns=2 lane_rows=4 "
            "lane_columns=4 stages=2 matrices=4");
        expect_product(product, schedule);
        schedule.slices = 2;
        expect_product(product, schedule, {.reads_c = false});
        std::swap(product.a, product.b);
        expect_product(product, schedule);
    }
}

TEST(GpuProduct, ReadsNeitherWhatBetaNorWhatAlphaMakeNothing) {
    const MatrixProduct product = product_of('N', 'N', 40, 20, 7);
    expect_product(product, small_schedule(), {.reads_c = false});
    expect_product(product, small_schedule(), {.multiplies = false});
    expect_product(product_of('N', 'N', 40, 20, 0), small_schedule(), {.multiplies = false});
}

TEST(GpuProduct, OrdersAndMapsOfThreadsChangeNothing) {
    for (const char* more :
         {"order=rows", "order=columns", "order=serpentine_columns", "order=swirl_rows",
          "order=swirl_columns", "zigzag=0", "lane_rows=1 lane_columns=32 block_rows=8 block_columns=128",
          "lane_rows=32 lane_columns=1 block_rows=128 block_columns=4",
          "lane_rows=2 lane_columns=2 block_rows=8 block_columns=8 slices=8 block_depth=16",
          "thread_rows=3 block_rows=24", "thread_columns=6 block_columns=24"})
        expect_product(product_of('N', 'T', 130, 130, 6),
                       parse_gpu_schedule(to_string(small_schedule()) + " " + more));
}

TEST(GpuProduct, OrdersHaveEachPlaceOnce) {
    for (const GpuOrder order : gpu_orders())
        for (const auto& [rows, columns] :
             {std::pair(1, 1), std::pair(3, 5), std::pair(8, 8), std::pair(16, 1)}) {
            const auto places = places_in_order(order, rows, columns);
            std::set<std::pair<int, int>> seen(places.begin(), places.end());
            EXPECT_EQ(places.size(), static_cast<std::size_t>(rows * columns)) << name_of(order);
            EXPECT_EQ(seen.size(), places.size()) << name_of(order);
            EXPECT_LE(*seen.rbegin(), std::pair(rows - 1, columns - 1)) << name_of(order);
        }
}

TEST(GpuProduct, WhatFollowsEachOtherInSerpentinesAndSwirlsSharesAFactor) {
    for (const GpuOrder order : {GpuOrder::serpentine_rows, GpuOrder::serpentine_columns,
                                 GpuOrder::swirl_rows, GpuOrder::swirl_columns}) {
        const auto places = places_in_order(order, 8, 8);
        for (std::size_t k = 1; k < places.size(); ++k)
            EXPECT_TRUE(places[k].first == places[k - 1].first || places[k].second == places[k - 1].second)
                << name_of(order) << " " << k;
    }
}

TEST(GpuProduct, ReadsSharedMemoryWithoutConflicts) {
    for (const char a : {'N', 'T'}) {
        const MatrixProduct product = product_of(a, a == 'N' ? 'T' : 'N', 128, 128, 16);
        GpuSchedule schedule;
        schedule.a_lanes = schedule.b_lanes = a == 'N' ? 4 : 1;
        for (const int zigzag : {0, 1}) {
            schedule.zigzag = zigzag;
            EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << a;
        }
    }
    for (const int depth : {32, 64}) {
        GpuSchedule schedule;
        schedule.block_depth = depth;
        schedule.stages = 2;
        schedule.a_steps = schedule.b_steps = 4;
        const MatrixProduct product = product_of('T', 'N', 128, 128, 64);
        EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << depth;
    }
}

TEST(GpuProduct, SaysWhyASchedule) {
    const MatrixProduct product = product_of('N', 'N', 64, 64, 64, 1);
    const auto error = [&](const char* more) {
        return error_of([&] {
            gpu_product(product, parse_gpu_schedule(to_string(small_schedule()) + " " + more), gpu());
        });
    };
    EXPECT_NE(error("a_lanes=4").find("a_lanes is 4"), std::string::npos) << error("a_lanes=4");
    EXPECT_NE(error("block_rows=96").find("C is 64"), std::string::npos);
    EXPECT_NE(error("a_steps=2").find("a_steps is 2"), std::string::npos);
    EXPECT_NE(error("b_steps=4").find("b_steps is 4"), std::string::npos); // columns begin at multiples of 65
    EXPECT_NE(error("splits=3").find("splits is 3"), std::string::npos);
    EXPECT_NE(error("stages=1").find("stages is 1"), std::string::npos);
    EXPECT_NE(error("thread_rows=5").find("no multiple"), std::string::npos);
    EXPECT_NE(error("speed=9").find("'speed=9'"), std::string::npos);
}

TEST(GpuSchedules, OfDepthZeroAreThereForEveryKindOfNumber) {
    for (const auto& [rows, columns, batch] : {std::array{9, 8, 12}, {10, 9, 7}, {1, 1, 1}, {64, 48, 1}})
        for (const Number number : {Number::float32, Number::float64, Number::float8_e4m3}) {
            const bool is_e4m3 = number == Number::float8_e4m3;
            MatrixProduct product = product_of('T', 'N', rows, columns, 0);
            product.number = is_e4m3 ? Number::float32 : number;
            if (is_e4m3) product.a_number = product.b_number = number;
            product.a = {16, 1, false, 16 * rows};
            product.b = {1, 16, false, 16 * columns};
            product.c = {1, 64, false, 64 * columns};
            product.batch = batch;
            const std::vector<GpuSchedule> schedules = gpu_schedules(product, gpu(), 1000);
            ASSERT_FALSE(schedules.empty());
            for (const GpuSchedule& schedule : schedules) {
                EXPECT_FALSE(schedule.has_tiles());
                EXPECT_EQ(objection(schedule, product, gpu()), std::nullopt) << to_string(schedule);
            }
        }
}

TEST(GpuSchedules, AreReadAsTheyAreWritten) {
    GpuSchedule schedule = small_schedule();
    schedule.order = GpuOrder::columns;
    schedule.splits = 8;
    EXPECT_EQ(parse_gpu_schedule(to_string(schedule)), schedule);
}

TEST(GpuSchedules, OfFloat64HaveWarpsMultiplyWhereTheyCan) {
    for (const auto& [rows, columns, depth] :
         {std::array{256, 256, 256}, {1024, 1024, 1024}, {4096, 4096, 4096}})
        for (const char letter : {'N', 'T'}) {
            const MatrixProduct product =
                product_of(letter, letter, rows, columns, depth, 0, Number::float64);
            EXPECT_EQ(gpu_schedules(product, gpu(), 1).front().warp_depth, 4);
            EXPECT_EQ(gpu_schedules(product, target::gpu_named("generic"), 1).front().warp_depth, 0);
        }
}

TEST(GpuSchedules, OfTheModelSuit) {
    for (const auto& [rows, columns, depth] : {std::array{1, 1, 1},
                                               {7, 300, 50},
                                               {64, 64, 64},
                                               {1000, 1000, 1000},
                                               {4096, 4096, 4096},
                                               {64, 64, 262144},
                                               {3, 2, 0}})
        for (const char letter : {'N', 'T'})
            for (const Number number : {Number::float32, Number::float64}) {
                const MatrixProduct product = product_of(letter, letter, rows, columns, depth, 0, number);
                const std::vector<GpuSchedule> schedules = gpu_schedules(product, gpu(), 5);
                EXPECT_FALSE(schedules.empty());
                for (const GpuSchedule& schedule : schedules)
                    EXPECT_NO_THROW(validate(schedule, product, gpu()));
            }
}

TEST(GpuSchedules, HaveMoreThanOneThread) {
    const MatrixProduct product = product_of('N', 'N', 1, 1, 1);
    for (const GpuSchedule& schedule : gpu_schedules(product, gpu(), 5)) {
        EXPECT_GT(schedule.threads(), 1);
        expect_product(product, schedule);
    }
    EXPECT_NE(error_of([&] {
                  gpu_product(
                      product,
                      parse_gpu_schedule("block_rows=1 block_columns=1 thread_rows=1 thread_columns=1 "
                                         "lane_rows=1 lane_columns=1"),
                      gpu());
              }).find("one thread"),
              std::string::npos);
}

TEST(GpuSchedules, AreNoneWhereCHasNoElements) {
    for (Integer MatrixProduct::*const extent :
         {&MatrixProduct::batch, &MatrixProduct::rows, &MatrixProduct::columns, &MatrixProduct::depth}) {
        MatrixProduct product = product_of('N', 'N', 64, 64, 64);
        product.*extent = 0;
        EXPECT_EQ(gpu_schedules(product, gpu(), 1).empty(), extent != &MatrixProduct::depth);
    }
}

} // namespace
} // namespace swirl::gemm::test
