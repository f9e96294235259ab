#include "gemm/gpu_product.hpp"

#include "../support/error_of.hpp"
#include "gemm/gpu_model.hpp"
#include "ir/verify.hpp"
#include "reference.hpp"
#include "target/gpu_tensor_cores.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm::test {
namespace {

const target::Gpu& gpu() { return target::gpu_named("sm_90"); }

/// One with extents of its own in every member, so small that the interpreter is done soon.
GpuSchedule small_schedule() {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=4 thread_rows=4 thread_columns=4 "
        "lane_rows=8 lane_columns=4 stages=3 group=2");
}

long double element(const ir::Memory& memory, const MatrixLayout& layout, Integer matrix, Integer i,
                    Integer j) {
    return memory[matrix * layout.batch_stride + i * layout.row_stride + j * layout.column_stride];
}

struct Execution {
    bool multiplies = true;
    bool reads_c = true;
};

/// Numbers are small integers, halves and quarters: sums of products are exact.
ir::InterpreterReport expect_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                     const Execution& execution = {}, const target::Gpu& device = gpu()) {
    const std::vector<ir::Program> programs = gpu_product(product, schedule, device);
    const ir::Program& program = programs.front();
    ir::verify(program, ir::Stage::vectorized);
    ir::Arguments arguments(program);
    std::mt19937 random(7);
    for (const char* name : {"a", "b", "factors"}) fill(arguments[name], random);
    arguments.parameters = {execution.multiplies ? 1 : 0, execution.reads_c ? 1 : 0};
    if (execution.reads_c) fill(arguments["c"], random); // else it may not be read
    const ir::Memory before = arguments["c"];
    const ir::InterpreterReport report = ir::interpret(program, arguments);
    const long double alpha = arguments["factors"][0], beta = arguments["factors"][1];
    for (Integer matrix = 0; matrix < product.batch; ++matrix)
        for (Integer i = 0; i < product.rows; ++i)
            for (Integer j = 0; j < product.columns; ++j) {
                long double expected = 0;
                for (Integer k = 0; execution.multiplies && k < product.depth; ++k)
                    expected += alpha * element(arguments["a"], product.a, matrix, i, k) *
                                element(arguments["b"], product.b, matrix, k, j);
                if (execution.reads_c) expected += beta * element(before, product.c, matrix, i, j);
                EXPECT_NEAR(static_cast<double>(element(arguments["c"], product.c, matrix, i, j)),
                            static_cast<double>(expected),
                            static_cast<double>(tolerance(product.number, product.depth)))
                    << to_string(schedule) << ": " << matrix << ", " << i << ", " << j;
                if (::testing::Test::HasFailure()) return report;
            }
    return report;
}

/// By letters of the BLAS, stored by columns, columns so much longer than they need.
MatrixProduct product_of(char a, char b, Integer rows, Integer columns, Integer depth, Integer more = 0,
                         Number number = Number::float32) {
    const auto layout = [&](char letter, Integer r, Integer c) {
        return letter == 'N' ? MatrixLayout{1, r + more} : MatrixLayout{c + more, 1};
    };
    return {.number = number,
            .rows = rows,
            .columns = columns,
            .depth = depth,
            .a = layout(a, rows, depth),
            .b = layout(b, depth, columns),
            .c = {1, rows + more}};
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
         {"order=rows", "order=columns", "order=serpentine_columns", "zigzag=0",
          "lane_rows=1 lane_columns=32 block_rows=8 block_columns=128",
          "lane_rows=32 lane_columns=1 block_rows=128 block_columns=4",
          "lane_rows=2 lane_columns=2 block_rows=8 block_columns=8 slices=8 block_depth=16",
          "thread_rows=3 block_rows=24", "thread_columns=6 block_columns=24"})
        expect_product(product_of('N', 'T', 130, 130, 6),
                       parse_gpu_schedule(to_string(small_schedule()) + " " + more));
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

GpuSchedule warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=8 thread_rows=2 thread_columns=2 warp_depth=4 stages=3 "
        "group=2 depth_run=4 " +
        std::string(more));
}

TEST(GpuProduct, WarpsMultiply) {
    for (const char* more :
         {"", "warp_depth=8 block_depth=16", "warp_depth=16 block_depth=32", "slices=2 block_depth=16",
          "thread_rows=4 thread_columns=4 spread=0", "splits=2 stages=4", "c_lanes=2 a_lanes=2 b_lanes=2"})
        for (const Integer depth : {16, 37})
            expect_product(product_of('N', 'T', 72, 36, depth, 0, Number::float64), warp_schedule(more));
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'})
            expect_product(product_of(a, b, 65, 33, 20, 1, Number::float64), warp_schedule());
    expect_product(product_of('N', 'N', 40, 20, 1, 0, Number::float64), warp_schedule());
    MatrixProduct batch = product_of('T', 'N', 40, 20, 9, 0, Number::float64);
    batch.batch = 3;
    batch.a.batch_stride = 400;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 800;
    expect_product(batch, warp_schedule("matrices=2"));
}

GpuSchedule short_warp_schedule(const char* more = "") {
    return parse_gpu_schedule(
        "block_rows=32 block_columns=16 block_depth=32 thread_rows=2 thread_columns=2 warp_depth=16 stages=3 "
        "group=2 depth_run=16 " +
        std::string(more));
}

/// Factors are short, sums of float32.
MatrixProduct short_product(char a, char b, Integer rows, Integer columns, Integer depth, Integer gap,
                            Number factor) {
    MatrixProduct product = product_of(a, b, rows, columns, depth, gap);
    product.a_number = product.b_number = factor;
    return product;
}

TEST(GpuProduct, WarpsMultiplyShortNumbers) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    for (const Number factor : {Number::bfloat16, Number::float16}) {
        for (const char* more :
             {"", "slices=2 block_depth=64", "thread_rows=4 thread_columns=4 spread=0",
              "thread_rows=2 thread_columns=8 block_columns=32", "c_lanes=2 a_lanes=8 b_lanes=4"})
            for (const Integer depth : {16, 37})
                expect_product(short_product('N', 'T', 72, 36, depth, 0, factor), short_warp_schedule(more),
                               {}, earlier);
        for (const char a : {'N', 'T'})
            for (const char b : {'N', 'T'})
                expect_product(short_product(a, b, 65, 33, 20, 1, factor), short_warp_schedule(), {},
                               earlier);
    }
    expect_product(short_product('N', 'T', 72, 36, 80, 0, Number::bfloat16),
                   short_warp_schedule("splits=2 stages=4"), {}, gpu());
    for (const auto& [product, target] :
         {std::pair(short_product('N', 'N', 64, 32, 20, 0, Number::float16), "generic"),
          {product_of('N', 'N', 64, 32, 20), "sm_80"}})
        EXPECT_NE(error_of([&, &of = product, name = target] {
                      gpu_product(of, short_warp_schedule(), target::gpu_named(name));
                  }).find("warp_depth is 16"),
                  std::string::npos)
            << target;
}

TEST(GpuProduct, WarpsReadShortFragmentsWithoutConflicts) {
    const MatrixProduct product = short_product('N', 'T', 64, 64, 64, 0, Number::bfloat16);
    const GpuSchedule schedule = short_warp_schedule(
        "block_rows=64 block_columns=64 thread_rows=8 thread_columns=8 a_lanes=8 b_lanes=8");
    EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0);
}

TEST(GpuSchedules, OfShortNumbersHaveWarpsMultiplyWhereTilesDoNot) {
    for (const Integer n : {256, 1024, 4096}) {
        const MatrixProduct product = short_product('N', 'T', n, n, n, 0, Number::bfloat16);
        EXPECT_EQ(gpu_schedules(product, target::gpu_named("sm_80"), 1).front().warp_depth, 16);
        EXPECT_TRUE(n == 256 || gpu_schedules(product, gpu(), 1).front().has_tiles());
        const MatrixProduct unaligned = short_product('N', 'T', n, n, n, 1, Number::bfloat16);
        EXPECT_EQ(gpu_schedules(unaligned, gpu(), 1).front().warp_depth, 16);
    }
}

TEST(GpuProduct, WarpsMultiplyOnEarlierGpusInSmallerProducts) {
    const target::Gpu& earlier = target::gpu_named("sm_80");
    const MatrixProduct product = product_of('N', 'N', 64, 32, 20, 0, Number::float64);
    const ir::Program program = gpu_product(product, warp_schedule(), earlier).front();
    bool found = false;
    for (const ir::Operation& operation : program.operations)
        found = found || (operation.opcode == ir::Opcode::instruction &&
                          operation.instruction == &target::warp_product_of_float64({8, 8, 4}));
    EXPECT_TRUE(found);
    expect_product(product, warp_schedule(), {}, earlier);
    EXPECT_NE(error_of([&] {
                  gpu_product(product, warp_schedule("warp_depth=8 block_depth=16"), earlier);
              }).find("warp_depth is 8"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                  gpu_product(product_of('N', 'N', 64, 32, 20), warp_schedule(), gpu());
              }).find("numbers are float32"),
              std::string::npos);
}

TEST(GpuProduct, WarpsReadFragmentsWithoutConflicts) {
    for (const char a : {'N', 'T'}) {
        const MatrixProduct product = product_of(a, a == 'N' ? 'T' : 'N', 64, 64, 32, 0, Number::float64);
        const GpuSchedule schedule = warp_schedule(
            a == 'N'
                ? "block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 block_depth=16 a_lanes=2 "
                  "b_lanes=2"
                : "block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 block_depth=16");
        EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << a;
    }
    EXPECT_EQ(expect_product(product_of('T', 'N', 64, 64, 32, 0, Number::float64),
                             warp_schedule("block_rows=64 block_columns=64 thread_rows=4 thread_columns=4 "
                                           "block_depth=16 a_steps=2 b_steps=2"),
                             {.reads_c = false})
                  .bank_conflict_cycles(),
              0);
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

TEST(GpuSchedules, ThereAreForEmptyBatches) {
    MatrixProduct product = product_of('N', 'N', 64, 64, 64);
    product.batch = 0;
    EXPECT_FALSE(gpu_schedules(product, gpu(), 1).empty());
}

} // namespace
} // namespace swirl::gemm::test
