#include "gemm/cpu/schedule.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm {
namespace schedule_test {

const DataType types[] = {DataType::float32, DataType::float64, DataType::complex64, DataType::complex128};

TEST(Schedule, ComesBackFromItsText) {
    const Schedule schedule{
        .tile = {8, 3, 8}, .unroll = 4, .mc = 120, .kc = 512, .nc = 2048, .prefetch_a = 8};
    EXPECT_EQ(to_string(schedule), "tile=3x8 unroll=4 blocks=120x512x2048 innermost=rows prefetch=c,next,a8");
    EXPECT_EQ(parse_schedule(to_string(schedule), 8), schedule);
    Schedule other = schedule;
    other.prefetch_c = other.prefetch_next = other.rows_innermost = false;
    other.prefetch_a = 0;
    EXPECT_EQ(to_string(other), "tile=3x8 unroll=4 blocks=120x512x2048 innermost=columns prefetch=none");
    EXPECT_EQ(parse_schedule(to_string(other), 8), other);
}

TEST(Schedule, IsNotReadFromOtherText) {
    for (const char* text :
         {"", "tile=3x8", "tile=3x8 unroll=4 blocks=1x1 innermost=rows prefetch=c",
          "tile=0x8 unroll=4 blocks=1x1x1 innermost=rows prefetch=c",
          "tile=3x8 unroll=4 blocks=1x1x1 innermost=rows prefetch=d",
          "tile=3x8 unroll=4 blocks=1x1x1 innermost=out prefetch=c",
          "tile=3x8 unroll=99 blocks=1x1x1 innermost=rows prefetch=c",
          "tile=3x8 tile=3x8 blocks=1x1x1 innermost=rows prefetch=c",
          "tile=3x8 unroll=4 blocks=1x1x99999999999999999999 innermost=rows prefetch=c", "avx2: 0 base"})
        EXPECT_THROW(parse_schedule(text, 8), UserError) << text;
}

TEST(ModelSchedule, FitsTheRegistersAndTheCachesOfEveryCpu) {
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
        for (const DataType number : types) {
            const Schedule schedule = model_schedule(number, *cpu);
            SCOPED_TRACE(to_string(schedule));
            EXPECT_TRUE(fits_registers(OperandTypes::all(number), schedule.tile, *cpu));
            EXPECT_EQ(schedule.tile.lanes, target::lanes(*cpu, scalar_of(number)));
            EXPECT_EQ(schedule.mc % schedule.tile.rows(), 0);
            EXPECT_EQ(schedule.nc % schedule.tile.columns, 0);
            EXPECT_EQ(schedule.kc % schedule.unroll, 0);
            EXPECT_LE(schedule.mc * schedule.kc * bytes_of(number), cpu->cache_bytes);
            EXPECT_EQ(model_schedule_of(OperandTypes::all(number), schedule.tile, *cpu), schedule);
        }
}

TEST(ModelSchedule, HasTheTileOfTheFewestCyclesThatFits) {
    const target::Cpu& cpu = target::avx512_cpu();
    for (const DataType number : types) {
        const Tile best = model_schedule(number, cpu).tile;
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (int columns = 1; columns <= 16; ++columns) {
                const Tile tile{best.lanes, vectors, columns};
                if (fits_registers(OperandTypes::all(number), tile, cpu)) {
                    EXPECT_LE(cycles_per_k(OperandTypes::all(number), best, cpu),
                              cycles_per_k(OperandTypes::all(number), tile, cpu));
                }
            }
    }
    EXPECT_FALSE(fits_registers(OperandTypes::all(DataType::float64), {8, 4, 8}, cpu));
    EXPECT_GT(cycles_per_k(OperandTypes::all(DataType::float64), {8, 1, 1}, cpu), 3)
        << "one chain waits for itself";
}

TEST(BlocksOfAProduct, AreOfNearlyTheSameSizeAndHaveWholeTiles) {
    const Schedule schedule{.tile = {8, 3, 8}, .mc = 120, .kc = 512, .nc = 2048};
    EXPECT_EQ(blocks_of(schedule, 1000, 1000, 1000, 500), (BlockSizes{.mc = 120, .kc = 500, .nc = 1000}));
    EXPECT_EQ(blocks_of(schedule, 130, 100, 3000, 512), (BlockSizes{.mc = 72, .kc = 100, .nc = 1504}));
    EXPECT_EQ(blocks_of(schedule, 1000, 1024, 1000, 1024).mc, 72) << "deeper blocks have fewer rows";
}

} // namespace schedule_test
} // namespace swirl::gemm
