#include "gemm/schedule.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace swirl::gemm {
namespace {

const Number numbers[] = {Number::float32, Number::float64, Number::complex32, Number::complex64};

TEST(Schedule, ComesBackFromItsText) {
    const Schedule schedule{.tile = {8, 3, 8},
                            .unroll = 4,
                            .block_rows = 120,
                            .block_depth = 512,
                            .block_columns = 2048,
                            .prefetch_a = 8};
    EXPECT_EQ(to_string(schedule), "tile=3x8 unroll=4 blocks=120x512x2048 inside=rows prefetch=c,next,a8");
    EXPECT_EQ(parse_schedule(to_string(schedule), 8), schedule);
    Schedule other = schedule;
    other.prefetch_c = other.prefetch_next = other.rows_inside = false;
    other.prefetch_a = 0;
    EXPECT_EQ(to_string(other), "tile=3x8 unroll=4 blocks=120x512x2048 inside=columns prefetch=none");
    EXPECT_EQ(parse_schedule(to_string(other), 8), other);
}

TEST(Schedule, IsNotReadFromOtherText) {
    for (const char* text :
         {"", "tile=3x8", "tile=3x8 unroll=4 blocks=1x1 inside=rows prefetch=c",
          "tile=0x8 unroll=4 blocks=1x1x1 inside=rows prefetch=c",
          "tile=3x8 unroll=4 blocks=1x1x1 inside=rows prefetch=d",
          "tile=3x8 unroll=4 blocks=1x1x1 inside=out prefetch=c",
          "tile=3x8 unroll=99 blocks=1x1x1 inside=rows prefetch=c",
          "tile=3x8 tile=3x8 blocks=1x1x1 inside=rows prefetch=c",
          "tile=3x8 unroll=4 blocks=1x1x99999999999999999999 inside=rows prefetch=c", "avx2: 0 base"})
        EXPECT_THROW(parse_schedule(text, 8), UserError) << text;
}

TEST(ModelSchedule, FitsTheRegistersAndTheCachesOfEveryCpu) {
    for (const target::Cpu* cpu : {&target::sse2_cpu(), &target::avx2_cpu(), &target::avx512_cpu()})
        for (const Number number : numbers) {
            const Schedule schedule = model_schedule(number, *cpu);
            SCOPED_TRACE(to_string(schedule));
            EXPECT_TRUE(fits_registers(Numbers::all(number), schedule.tile, *cpu));
            EXPECT_EQ(schedule.tile.lanes, target::lanes(*cpu, scalar_of(number)));
            EXPECT_EQ(schedule.block_rows % schedule.tile.rows(), 0);
            EXPECT_EQ(schedule.block_columns % schedule.tile.columns, 0);
            EXPECT_EQ(schedule.block_depth % schedule.unroll, 0);
            EXPECT_LE(schedule.block_rows * schedule.block_depth * bytes_of(number), cpu->cache_bytes);
            EXPECT_EQ(model_schedule_of(Numbers::all(number), schedule.tile, *cpu), schedule);
        }
}

TEST(ModelSchedule, HasTheTileOfTheFewestCyclesThatFits) {
    const target::Cpu& cpu = target::avx512_cpu();
    for (const Number number : numbers) {
        const Tile best = model_schedule(number, cpu).tile;
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (int columns = 1; columns <= 16; ++columns) {
                const Tile tile{best.lanes, vectors, columns};
                if (fits_registers(Numbers::all(number), tile, cpu)) {
                    EXPECT_LE(cycles_of_step(Numbers::all(number), best, cpu),
                              cycles_of_step(Numbers::all(number), tile, cpu));
                }
            }
    }
    EXPECT_FALSE(fits_registers(Numbers::all(Number::float64), {8, 4, 8}, cpu));
    EXPECT_GT(cycles_of_step(Numbers::all(Number::float64), {8, 1, 1}, cpu), 3)
        << "one chain waits for itself";
}

TEST(BlocksOfAProduct, AreOfNearlyTheSameSizeAndHaveWholeTiles) {
    const Schedule schedule{.tile = {8, 3, 8}, .block_rows = 120, .block_depth = 512, .block_columns = 2048};
    EXPECT_EQ(blocks_of(schedule, 1000, 1000, 1000, 500),
              (Blocks{.rows = 120, .depth = 500, .columns = 1000}));
    EXPECT_EQ(blocks_of(schedule, 130, 100, 3000, 512), (Blocks{.rows = 72, .depth = 100, .columns = 1504}));
    EXPECT_EQ(blocks_of(schedule, 1000, 1024, 1000, 1024).rows, 72) << "deeper blocks have fewer rows";
}

} // namespace
} // namespace swirl::gemm
