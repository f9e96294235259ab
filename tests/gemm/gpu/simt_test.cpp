#include "gemm/gpu/gemm_kernels.hpp"

#include "gemm/gpu/gemm_run.hpp"
#include "gemm/gpu/model/model.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <set>

namespace swirl::gemm::test {
namespace simt_test {

/// One with extents of its own in every member, so small that the interpreter is done soon.
SimtGemm small_schedule() {
    return simt_schedule_of(
        "cta_m=32 cta_n=16 cta_k=4 thread_m=4 thread_n=4 "
        "warp_lanes_m=8 warp_lanes_n=4 stages=3 raster_group=2");
}

TEST(GpuProduct, IsTheProductForEveryTransposition) {
    for (const char a : {'N', 'T'})
        for (const char b : {'N', 'T'}) expect_product(product_of(a, b, 64, 48, 20), small_schedule());
}

TEST(GpuProduct, HasTilesAtEdgesThatLieOverOthers) {
    for (const auto& [rows, columns, k_extent] :
         {std::array{33, 17, 4}, {63, 31, 5}, {95, 16, 1}, {32, 40, 13}})
        for (const char a : {'N', 'T'})
            expect_product(product_of(a, 'N', rows, columns, k_extent, 1), small_schedule());
}

TEST(GpuProduct, EveryKSuitsEveryKTile) {
    for (Integer k = 1; k <= 21; ++k)
        for (const int stages : {2, 3, 5}) {
            SimtGemm schedule = small_schedule();
            schedule.stages = stages;
            expect_product(product_of('N', 'T', 32, 16, k), schedule);
        }
}

TEST(GpuProduct, MovesVectorsWhereElementsAreAligned) {
    for (const DataType data_type : {DataType::float32, DataType::float64}) {
        const MatrixProduct product = product_of('N', 'T', 64, 32, 10, 4, data_type);
        SimtGemm schedule = small_schedule();
        schedule.a.vector_mn = schedule.b.vector_mn = schedule.c_vector_m =
            data_type == DataType::float32 ? 4 : 2;
        expect_product(product, schedule);
    }
}

TEST(GpuProduct, KeepsKMajorOperandsKMajor) {
    for (const DataType data_type : {DataType::float32, DataType::float64})
        for (const char* more :
             {"", "sliced_k=2", "interleave_copies=0", "fma_order=columns", "thread_n=3 cta_n=12"}) {
            const int width = data_type == DataType::float32 ? 4 : 2;
            SimtGemm schedule = simt_schedule_of(to_string(small_schedule()) + " cta_k=16 " + more);
            schedule.a.vector_k = schedule.b.vector_k = width;
            for (const Integer k : {4, 16, 52})
                expect_product(product_of('T', 'N', 40, 19, k, 4, data_type), schedule);
            schedule.a.vector_k = 1;
            schedule.a.vector_mn = schedule.c_vector_m = width;
            expect_product(product_of('N', 'N', 40, 19, 28, 4, data_type), schedule);
        }
    expect_product(product_of('N', 'N', 1, 40, 16),
                   parse_gpu_schedule("cta_m=1 thread_m=1 warp_lanes_m=1 cta_n=8 thread_n=1 "
                                      "warp_lanes_n=8 sliced_k=4 cta_k=16 a_vector_k=4 b_vector_k=4"));
    SimtGemm schedule = simt_schedule_of(to_string(small_schedule()) + " cta_k=8 b_vector_k=4 a_vector_k=2");
    schedule.decomposition = SplitK{.splits = 4};
    expect_product(product_of('T', 'N', 40, 20, 64), schedule);
    MatrixProduct batch = product_of('T', 'N', 40, 20, 12);
    batch.batch = 3;
    batch.a.batch_stride = 480;
    batch.b.batch_stride = 0;
    batch.c.batch_stride = 800;
    schedule.decomposition = DataParallel{.matrices = 2};
    expect_product(batch, schedule);
}

TEST(GpuProduct, SlicesShareKTiles) {
    SimtGemm schedule = small_schedule();
    schedule.cta_tile.k = 12;
    for (const int slices : {2, 3, 6}) {
        schedule.sliced_k = slices;
        expect_product(product_of('T', 'N', 40, 20, 30), schedule);
    }
}

TEST(GpuProduct, ClustersSplitK) {
    SimtGemm schedule = small_schedule();
    for (const int splits : {2, 4}) {
        schedule.decomposition = SplitK{.splits = splits};
        for (const Integer k : {16, 29, 64}) expect_product(product_of('N', 'N', 40, 20, k), schedule);
    }
    schedule.thread_tile.n = 8;
    schedule.cta_tile.n = 32;
    schedule.decomposition = SplitK{.splits = 8};
    schedule.sliced_k = 2;
    expect_product(product_of('T', 'T', 33, 33, 64), schedule);
}

TEST(GpuProduct, SplitsHandOverThroughMemory) {
    SimtGemm schedule = small_schedule();
    for (const int splits : {2, 8, 16}) {
        schedule.decomposition = SplitK{.splits = splits, .in_workspace = true};
        schedule.thread_tile.n = splits > 4 ? 8 : 4;
        schedule.cta_tile.n = splits > 4 ? 32 : 16;
        schedule.sliced_k = splits == 8 ? 2 : 1;
        for (const Integer k : {64, 125}) expect_product(product_of('N', 'T', 40, 33, k), schedule);
    }
}

TEST(GpuProduct, SplitsInterleaveKTiles) {
    const std::string tile = to_string(small_schedule()) + " interleaved_split_k=1 ";
    for (const char* splits :
         {"split_k=2", "split_k=4", "split_k=4 split_k_in_workspace=1", "split_k=2 stages=6"})
        for (const Integer k : {5, 16, 29, 64, 101})
            for (const char a : {'N', 'T'})
                expect_product(product_of(a, 'N', 40, 20, k), parse_gpu_schedule(tile + splits));
}

TEST(GpuProduct, SlicesAddUpAndFinishSharesOfColumns) {
    const std::string tile = to_string(small_schedule()) + " cta_k=16 thread_n=8 cta_n=32 ";
    for (const char* slices : {"sliced_k=2", "sliced_k=8"})
        for (const char* splits : {"", "split_k=2", "split_k=4", "split_k=2 split_k_in_workspace=1",
                                   "split_k=8 split_k_in_workspace=1", "b_vector_k=2 split_k=4",
                                   "b_vector_k=2 split_k=8 split_k_in_workspace=1"}) {
            const GpuGemmSchedule schedule = parse_gpu_schedule(tile + slices + " " + splits);
            if (!infeasibility(schedule, product_of('N', 'N', 40, 33, 120), gpu()))
                expect_product(product_of('N', 'N', 40, 33, 120), schedule);
            expect_product(product_of('N', 'N', 34, 36, 128), schedule);
        }
}

TEST(GpuProduct, ManySplitsShareRowsToo) {
    const std::string tile =
        to_string(small_schedule()) + " thread_n=8 cta_n=32 thread_m=8 cta_m=64 split_k_in_workspace=1 ";
    for (const char* more :
         {"split_k=16", "split_k=32 sliced_k=2 cta_k=8 interleaved_split_k=1", "split_k=16 c_vector_m=4"}) {
        const GpuGemmSchedule schedule = parse_gpu_schedule(tile + more);
        expect_product(product_of('N', 'T', 72, 36, 256), schedule);
        expect_product(product_of('T', 'N', 68, 33, 256), schedule, {.reads_c = false});
    }
}

TEST(GpuProduct, AcceptsContiguousRowsAndEmptyC) {
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
        SimtGemm schedule = simt_schedule_of(
            "cta_m=8 cta_n=8 cta_k=4 thread_m=2 thread_n=2 warp_lanes_m=4 "
            "warp_lanes_n=4 stages=2 matrices=4");
        expect_product(product, schedule);
        schedule.sliced_k = 2;
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
         {"fma_order=rows", "fma_order=columns", "fma_order=serpentine_columns", "fma_order=swirl_rows",
          "fma_order=swirl_columns", "zigzag=0", "warp_lanes_m=1 warp_lanes_n=32 cta_m=8 cta_n=128",
          "warp_lanes_m=32 warp_lanes_n=1 cta_m=128 cta_n=4",
          "warp_lanes_m=2 warp_lanes_n=2 cta_m=8 cta_n=8 sliced_k=8 cta_k=16", "thread_m=3 cta_m=24",
          "thread_n=6 cta_n=24"})
        expect_product(product_of('N', 'T', 130, 130, 6),
                       parse_gpu_schedule(to_string(small_schedule()) + " " + more));
}

TEST(GpuProduct, FmaOrdersArePermutations) {
    for (const FmaOrder order : fma_orders())
        for (const auto& [rows, columns] :
             {std::pair(1, 1), std::pair(3, 5), std::pair(8, 8), std::pair(16, 1)}) {
            const auto sequence = fma_sequence(order, rows, columns);
            std::set<std::pair<int, int>> seen(sequence.begin(), sequence.end());
            EXPECT_EQ(sequence.size(), static_cast<std::size_t>(rows * columns)) << static_cast<int>(order);
            EXPECT_EQ(seen.size(), sequence.size()) << static_cast<int>(order);
            EXPECT_LE(*seen.rbegin(), std::pair(rows - 1, columns - 1)) << static_cast<int>(order);
        }
}

TEST(GpuProduct, ConsecutiveFmasShareAnOperand) {
    for (const FmaOrder order : {FmaOrder::serpentine_rows, FmaOrder::serpentine_columns,
                                 FmaOrder::swirl_rows, FmaOrder::swirl_columns}) {
        const auto sequence = fma_sequence(order, 8, 8);
        for (std::size_t k = 1; k < sequence.size(); ++k)
            EXPECT_TRUE(sequence[k].first == sequence[k - 1].first ||
                        sequence[k].second == sequence[k - 1].second)
                << static_cast<int>(order) << " " << k;
    }
}

TEST(GpuProduct, ReadsSharedMemoryWithoutConflicts) {
    for (const char a : {'N', 'T'}) {
        const MatrixProduct product = product_of(a, a == 'N' ? 'T' : 'N', 128, 128, 16);
        SimtGemm schedule;
        schedule.a.vector_mn = schedule.b.vector_mn = a == 'N' ? 4 : 1;
        for (const bool zigzag : {false, true}) {
            schedule.math = Fma{.zigzag = zigzag};
            EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << a;
        }
    }
    for (const int k : {32, 64}) {
        SimtGemm schedule;
        schedule.cta_tile.k = k;
        schedule.stages = 2;
        schedule.a.vector_k = schedule.b.vector_k = 4;
        const MatrixProduct product = product_of('T', 'N', 128, 128, 64);
        EXPECT_EQ(expect_product(product, schedule, {.reads_c = false}).bank_conflict_cycles(), 0) << k;
    }
}

TEST(GpuProduct, SaysWhyASchedule) {
    const MatrixProduct product = product_of('N', 'N', 64, 64, 64, 1);
    const auto error = [&](const char* more) {
        return error_of([&] {
            gpu_gemm_kernels(product, parse_gpu_schedule(to_string(small_schedule()) + " " + more), gpu());
        });
    };
    EXPECT_NE(error("a_vector_m=4").find("a_vector_m is 4"), std::string::npos) << error("a_vector_m=4");
    EXPECT_NE(error("cta_m=96").find("is 64 × 64"), std::string::npos);
    EXPECT_NE(error("a_vector_k=2").find("a_vector_k is 2"), std::string::npos);
    EXPECT_NE(error("b_vector_k=4").find("b_vector_k is 4"),
              std::string::npos); // columns begin at multiples of 65
    EXPECT_NE(error("split_k=3").find("split_k is 3"), std::string::npos);
    EXPECT_NE(error("stages=1").find("stages is 1"), std::string::npos);
    EXPECT_NE(error("thread_m=5").find("cta_m is 32; multiples"), std::string::npos);
    EXPECT_NE(error("speed=9").find("'speed=9' is no parameter of a simt schedule"), std::string::npos);
}

TEST(GpuSchedules, OfZeroKExistForEveryDataType) {
    for (const auto& [rows, columns, batch] : {std::array{9, 8, 12}, {10, 9, 7}, {1, 1, 1}, {64, 48, 1}})
        for (const DataType data_type : {DataType::float32, DataType::float64, DataType::float8_e4m3}) {
            const bool is_e4m3 = data_type == DataType::float8_e4m3;
            MatrixProduct product = product_of('T', 'N', rows, columns, 0);
            product.data_type = is_e4m3 ? DataType::float32 : data_type;
            if (is_e4m3) product.a_type = product.b_type = data_type;
            product.a = {16, 1, false, 16 * rows};
            product.b = {1, 16, false, 16 * columns};
            product.c = {1, 64, false, 64 * columns};
            product.batch = batch;
            const std::vector<GpuGemmSchedule> schedules = gpu_schedules(product, gpu(), 1000);
            ASSERT_FALSE(schedules.empty());
            for (const GpuGemmSchedule& schedule : schedules) {
                EXPECT_FALSE(is_wgmma(schedule));
                EXPECT_EQ(infeasibility(schedule, product, gpu()), std::nullopt) << to_string(schedule);
            }
        }
}

TEST(GpuSchedules, AreReadAsTheyAreWritten) {
    SimtGemm schedule = small_schedule();
    schedule.math = Fma{.order = FmaOrder::columns};
    schedule.decomposition = SplitK{.splits = 8};
    EXPECT_EQ(parse_gpu_schedule(to_string(schedule)), GpuGemmSchedule(schedule));
}

/// Each parameter with each of its least and greatest values, in each alternative that has it.
TEST(GpuSchedules, HaveAllParametersInTheirText) {
    for (const GpuGemmSchedule& base :
         {GpuGemmSchedule(SimtGemm{}), GpuGemmSchedule(SimtGemm{.math = MmaSync{.k = 16}}),
          GpuGemmSchedule(SimtGemm{.decomposition = SplitK{.splits = 4}}),
          GpuGemmSchedule(SimtGemm{.decomposition = StreamK{.blocks = 7}}), GpuGemmSchedule(WgmmaGemm{}),
          GpuGemmSchedule(WgmmaGemm{.operands = Tf32{}}), GpuGemmSchedule(WgmmaGemm{.operands = Bf16Terms{}}),
          GpuGemmSchedule(BatchedGemm{})})
        for (const ScheduleParameter& parameter : parameters_of(base))
            for (const int value : {parameter.least, parameter.most}) {
                const auto schedule = with_value(base, parameter, value);
                if (!schedule) continue;
                const std::string text = to_string(*schedule);
                EXPECT_EQ(parse_gpu_schedule(text), *schedule) << text;
                if (!parameter.get(base))
                    EXPECT_EQ(*schedule, base) << "the value of none: " << text;
                else
                    EXPECT_EQ(parameter.get(*schedule), value) << parameter.name;
            }
}

TEST(GpuSchedules, SayWhichParametersExcludeEachOther) {
    for (const auto& [text, words] : {std::pair{"split_k=4 matrices=2", "matrices=2 needs split_k=1"},
                                      {"split_k=4 stream_k_blocks=7", "stream_k_blocks=7 needs split_k=1"},
                                      {"data_parallel_tiles=2", "needs stream_k_blocks>0"},
                                      {"mma_k=16 zigzag=1", "zigzag=1 needs mma_k=0"},
                                      {"wgmma tf32=1 bf16_split=3", "tf32=1 needs bf16_split=0"},
                                      {"wgmma transpose_a=1", "transpose_a=1 needs tf32=1"},
                                      {"wgmma mma_k=16", "'mma_k=16' is no parameter of a wgmma schedule"},
                                      {"a_load=bulk", "possible: cp_async, tma, tma_k_major"},
                                      {"cta_m=0", "cta_m is 0"},
                                      {"zigzag=2", "possible: 0 … 1"},
                                      {"warp cta_m=8", "begins with 'warp'"},
                                      {"cta_m", "begins with 'cta_m'"}}) {
        const std::string error = error_of([&, text = text] { parse_gpu_schedule(text); });
        EXPECT_NE(error.find(words), std::string::npos) << text << ": " << error;
    }
}

TEST(GpuSchedules, OfFloat64HaveWarpsMultiplyWhereTheyCan) {
    for (const auto& [rows, columns, k_extent] :
         {std::array{256, 256, 256}, {1024, 1024, 1024}, {4096, 4096, 4096}})
        for (const char letter : {'N', 'T'}) {
            const MatrixProduct product =
                product_of(letter, letter, rows, columns, k_extent, 0, DataType::float64);
            EXPECT_EQ(mma_k_of(gpu_schedules(product, gpu(), 1)), 4);
            EXPECT_EQ(mma_k_of(gpu_schedules(product, target::gpu_named("generic"), 1)), 0);
        }
}

TEST(GpuSchedules, OfTheModelSuit) {
    for (const auto& [rows, columns, k_extent] : {std::array{1, 1, 1},
                                                  {7, 300, 50},
                                                  {64, 64, 64},
                                                  {1000, 1000, 1000},
                                                  {4096, 4096, 4096},
                                                  {64, 64, 262144},
                                                  {3, 2, 0}})
        for (const char letter : {'N', 'T'})
            for (const DataType data_type : {DataType::float32, DataType::float64}) {
                const MatrixProduct product =
                    product_of(letter, letter, rows, columns, k_extent, 0, data_type);
                const std::vector<GpuGemmSchedule> schedules = gpu_schedules(product, gpu(), 5);
                EXPECT_FALSE(schedules.empty());
                for (const GpuGemmSchedule& schedule : schedules)
                    EXPECT_NO_THROW(validate(schedule, product, gpu()));
            }
}

TEST(GpuSchedules, HaveMoreThanOneThread) {
    const MatrixProduct product = product_of('N', 'N', 1, 1, 1);
    for (const GpuGemmSchedule& schedule : gpu_schedules(product, gpu(), 5)) {
        EXPECT_GT(std::get<SimtGemm>(schedule).threads(), 1);
        expect_product(product, schedule);
    }
    EXPECT_NE(error_of([&] {
                  gpu_gemm_kernels(product,
                                   parse_gpu_schedule("cta_m=1 cta_n=1 thread_m=1 thread_n=1 "
                                                      "warp_lanes_m=1 warp_lanes_n=1"),
                                   gpu());
              }).find("one thread"),
              std::string::npos);
}

TEST(GpuSchedules, AreNoneWhereCHasNoElements) {
    for (Integer MatrixProduct::*const extent :
         {&MatrixProduct::batch, &MatrixProduct::rows, &MatrixProduct::columns, &MatrixProduct::k}) {
        MatrixProduct product = product_of('N', 'N', 64, 64, 64);
        product.*extent = 0;
        EXPECT_EQ(gpu_schedules(product, gpu(), 1).empty(), extent != &MatrixProduct::k);
    }
}

} // namespace simt_test
} // namespace swirl::gemm::test
